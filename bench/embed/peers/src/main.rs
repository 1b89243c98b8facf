// SPDX-License-Identifier: MIT
//! Times lookups of gsym-rs and blazesym as bench/embed/lookups.c times ours.
//!
//!     peers FILE.gsym ADDRESSES gsym-rs|blazesym|blazesym-many ROUNDS
//!
//! Writes a line for each round: nanoseconds of CPU time a lookup, and the
//! number of frames.

use std::{env, fs};

fn seconds() -> f64 {
    #[repr(C)]
    struct Timespec {
        sec: i64,
        nsec: i64,
    }
    extern "C" {
        fn clock_gettime(clock: i32, t: *mut Timespec) -> i32;
    }
    let mut t = Timespec { sec: 0, nsec: 0 };
    // CLOCK_PROCESS_CPUTIME_ID
    unsafe { clock_gettime(2, &mut t) };
    t.sec as f64 + t.nsec as f64 / 1e9
}

fn gsym_rs(data: &[u8], addresses: &[u64]) -> u64 {
    let file = gsym::Gsym::parse(data).expect("a GSYM file");
    let mut scratch = gsym::LookupScratch::with_capacity(64);
    let (mut frames, mut sum) = (0, 0u64);
    for &address in addresses {
        let _ = file.for_each_frame(
            address,
            gsym::FrameLookupOptions::default(),
            &mut scratch,
            |f| {
                frames += 1;
                sum = sum.wrapping_add(f.line as u64 + f.offset);
            },
        );
    }
    std::hint::black_box(sum);
    frames
}

fn blazesym(data: &[u8], addresses: &[u64], many: usize) -> u64 {
    use blazesym::symbolize::source::{GsymData, Source};
    use blazesym::symbolize::{Input, Symbolized, Symbolizer};
    let symbolizer = Symbolizer::builder().enable_demangling(false).build();
    let source = Source::from(GsymData::new(data));
    let (mut frames, mut sum) = (0, 0u64);
    for part in addresses.chunks(many) {
        let answers = symbolizer
            .symbolize(&source, Input::VirtOffset(part))
            .expect("answers");
        for answer in &answers {
            if let Symbolized::Sym(s) = answer {
                frames += 1 + s.inlined.len() as u64;
                let line = s.code_info.as_ref().and_then(|c| c.line);
                sum = sum.wrapping_add(line.unwrap_or(0) as u64);
            }
        }
    }
    std::hint::black_box(sum);
    frames
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let data = fs::read(&arguments[1]).expect("a GSYM file");
    let bytes = fs::read(&arguments[2]).expect("addresses");
    let addresses: Vec<u64> = bytes
        .chunks_exact(8)
        .map(|b| u64::from_ne_bytes(b.try_into().unwrap()))
        .collect();
    for _ in 0..arguments[4].parse().expect("a number of rounds") {
        let begin = seconds();
        let frames = match arguments[3].as_str() {
            "gsym-rs" => gsym_rs(&data, &addresses),
            "blazesym" => blazesym(&data, &addresses, 1),
            "blazesym-many" => blazesym(&data, &addresses, 4096),
            other => panic!("{other}: no such library"),
        };
        let time = seconds() - begin;
        println!("{:.1} {}", time * 1e9 / addresses.len() as f64, frames);
    }
}
