// Panics below two calls.  bench/producers looks for the lines with the words
// in comments.
#[inline(never)]
fn leaf(n: usize) -> usize {
    let list = [1, 2, 3];
    list[n] + 1 // LEAF
}

#[inline(never)]
fn middle(n: usize) -> usize {
    leaf(n) + 1 // MIDDLE
}

fn main() {
    if std::env::var("PRODUCER_MAPS").is_ok() {
        eprint!("{}", std::fs::read_to_string("/proc/self/maps").unwrap());
    }
    println!("{}", middle(std::env::args().count() + 5)); // MAIN
}
