// SPDX-License-Identifier: MIT
// Generics, traits, closures and panics; most of the program is the library.
use std::collections::BTreeMap;
use std::fmt::Display;

trait Shape {
    fn area(&self) -> f64;
}

struct Square(f64);
struct Circle {
    radius: f64,
}

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        std::f64::consts::PI * self.radius * self.radius
    }
}

fn join<T: Display>(items: &[T]) -> String {
    items
        .iter()
        .map(|item| format!("<{}>", item))
        .collect::<Vec<_>>()
        .join(", ")
}

fn checked(divisor: usize) -> usize {
    if divisor == 0 {
        panic!("nothing to divide by");
    }
    1000 / divisor
}

fn main() {
    let count = std::env::args().count();
    let shapes: Vec<Box<dyn Shape>> = vec![
        Box::new(Square(count as f64)),
        Box::new(Circle { radius: 2.0 }),
    ];
    let mut names = BTreeMap::new();
    for (number, shape) in shapes.iter().enumerate() {
        names.insert(format!("shape {}", number), shape.area() as i64);
    }
    let areas: Vec<_> = names.values().copied().collect();
    println!("{} {}", join(&areas), checked(count));
}
