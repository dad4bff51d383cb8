/// A set of ticks that finds the neighbour of a tick in a bounded number of steps: a bit for each tick, in words of
/// 256, and a bit for each non-empty word.
module concentrated::tick_set;

use sui::table::{Self, Table};

/// 14 * 256 words of 256 ticks cover all ticks.
const SUMMARIES: u64 = 14;

public struct TickSet has store {
    words: Table<u32, u256>,
    summaries: vector<u256>,
}

public fun new(ctx: &mut TxContext): TickSet {
    TickSet { words: table::new(ctx), summaries: vector::tabulate!(SUMMARIES, |_| 0) }
}

public fun insert(set: &mut TickSet, tick: u32) {
    let word = tick >> 8;
    if (!set.words.contains(word)) set.words.add(word, 0);
    let bits = &mut set.words[word];
    *bits = *bits | bit(tick);
    let summary = &mut set.summaries[(word >> 8) as u64];
    *summary = *summary | bit(word);
}

/// The set must contain the tick.
public fun remove(set: &mut TickSet, tick: u32) {
    let word = tick >> 8;
    let bits = &mut set.words[word];
    *bits = *bits ^ bit(tick);
    if (*bits != 0) return;
    set.words.remove(word);
    let summary = &mut set.summaries[(word >> 8) as u64];
    *summary = *summary ^ bit(word);
}

/// The lowest tick at or above `tick`.
public fun at_or_above(set: &TickSet, tick: u32): Option<u32> {
    let word = tick >> 8;
    if (set.words.contains(word)) {
        let found = lowest_from(set.words[word], tick);
        if (found.is_some()) return found.map!(|place| (word << 8) + place);
    };
    let next = word + 1;
    let mut i = (next >> 8) as u64;
    let mut found = if (i < SUMMARIES) lowest_from(set.summaries[i], next) else option::none();
    while (found.is_none() && i + 1 < SUMMARIES) {
        i = i + 1;
        found = lowest_from(set.summaries[i], 0);
    };
    found.map!(|place| {
        let word = ((i as u32) << 8) + place;
        (word << 8) + lowest_from(set.words[word], 0).destroy_some()
    })
}

/// The highest tick at or below `tick`.
public fun at_or_below(set: &TickSet, tick: u32): Option<u32> {
    let word = tick >> 8;
    if (set.words.contains(word)) {
        let found = highest_to(set.words[word], tick);
        if (found.is_some()) return found.map!(|place| (word << 8) + place);
    };
    if (word == 0) return option::none();
    let next = word - 1;
    let mut i = (next >> 8) as u64;
    let mut found = highest_to(set.summaries[i], next);
    while (found.is_none() && i > 0) {
        i = i - 1;
        found = highest_to(set.summaries[i], 255);
    };
    found.map!(|place| {
        let word = ((i as u32) << 8) + place;
        (word << 8) + highest_to(set.words[word], 255).destroy_some()
    })
}

fun bit(place: u32): u256 {
    1 << ((place & 255) as u8)
}

/// The lowest bit of the word at the position or above.
fun lowest_from(word: u256, place: u32): Option<u32> {
    let from = (place & 255) as u8;
    let mut bits = word >> from << from;
    if (bits == 0) return option::none();
    let (mut found, mut half) = (0, 128u8);
    while (half > 0) {
        if (bits & ((1 << half) - 1) == 0) {
            bits = bits >> half;
            found = found + (half as u32);
        };
        half = half / 2;
    };
    option::some(found)
}

/// The highest bit of the word at the position or below.
fun highest_to(word: u256, place: u32): Option<u32> {
    let above = 255 - ((place & 255) as u8);
    let mut bits = word << above >> above;
    if (bits == 0) return option::none();
    let (mut found, mut half) = (0, 128u8);
    while (half > 0) {
        if (bits >> half != 0) {
            bits = bits >> half;
            found = found + (half as u32);
        };
        half = half / 2;
    };
    option::some(found)
}
