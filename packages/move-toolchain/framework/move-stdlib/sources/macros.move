/// What the integer modules share.
module std::macros;

public macro fun num_max<$T>($x: $T, $y: $T): $T {
    let (x, y) = ($x, $y);
    if (x < y) y else x
}

public macro fun num_min<$T>($x: $T, $y: $T): $T {
    let (x, y) = ($x, $y);
    if (y < x) y else x
}

public macro fun num_diff<$T>($x: $T, $y: $T): $T {
    let (x, y) = ($x, $y);
    if (x < y) y - x else x - y
}

public macro fun num_divide_and_round_up<$T>($x: $T, $y: $T): $T {
    let (x, y) = ($x, $y);
    let whole = x / y;
    if (whole * y < x) whole + 1 else whole
}

public macro fun num_pow<$T>($base: $T, $exponent: u8): $T {
    let mut square = $base;
    let mut left = $exponent;
    let mut power = 1;
    while (left > 0) {
        if (left % 2 == 1) power = power * square;
        left = left / 2;
        // The last square would be unused, and may overflow.
        if (left > 0) square = square * square;
    };
    power
}

/// Newton's method in `$U`, from above: ends at the floor of the root.
public macro fun num_sqrt<$T, $U>($x: $T): $T {
    let x = $x as $U;
    if (x == 0) return 0;
    let mut root = x;
    loop {
        let next = (root + x / root) / 2;
        if (next >= root) break;
        root = next;
    };
    root as $T
}

public macro fun num_checked_add<$T>($x: $T, $y: $T, $max: $T): Option<$T> {
    let (x, y) = ($x, $y);
    if (y > $max - x) option::none() else option::some(x + y)
}

public macro fun num_checked_sub<$T>($x: $T, $y: $T): Option<$T> {
    let (x, y) = ($x, $y);
    if (x < y) option::none() else option::some(x - y)
}

public macro fun num_checked_mul<$T>($x: $T, $y: $T, $max: $T): Option<$T> {
    let (x, y) = ($x, $y);
    if (x != 0 && y > $max / x) option::none() else option::some(x * y)
}

public macro fun num_checked_div<$T>($x: $T, $y: $T): Option<$T> {
    let (x, y) = ($x, $y);
    if (y == 0) option::none() else option::some(x / y)
}

public macro fun num_saturating_add<$T>($x: $T, $y: $T, $max: $T): $T {
    let (x, y) = ($x, $y);
    if (y > $max - x) $max else x + y
}

public macro fun num_saturating_sub<$T>($x: $T, $y: $T): $T {
    let (x, y) = ($x, $y);
    if (x < y) 0 else x - y
}

public macro fun num_saturating_mul<$T>($x: $T, $y: $T, $max: $T): $T {
    let (x, y) = ($x, $y);
    if (x != 0 && y > $max / x) $max else x * y
}

public macro fun num_checked_shl<$T>($x: $T, $shift: u8, $bits: u8): Option<$T> {
    let (x, shift) = ($x, $shift);
    if (shift < $bits) option::some(x << shift) else option::none()
}

public macro fun num_checked_shr<$T>($x: $T, $shift: u8, $bits: u8): Option<$T> {
    let (x, shift) = ($x, $shift);
    if (shift < $bits) option::some(x >> shift) else option::none()
}

/// None where bits would be lost.
public macro fun num_lossless_shl<$T>($x: $T, $shift: u8, $bits: u8): Option<$T> {
    let (x, shift) = ($x, $shift);
    if (shift < $bits && x << shift >> shift == x) option::some(x << shift) else option::none()
}

/// None where bits would be lost.
public macro fun num_lossless_shr<$T>($x: $T, $shift: u8, $bits: u8): Option<$T> {
    let (x, shift) = ($x, $shift);
    if (shift < $bits && x >> shift << shift == x) option::some(x >> shift) else option::none()
}

/// None where a remainder would be lost.
public macro fun num_lossless_div<$T>($x: $T, $y: $T): Option<$T> {
    let (x, y) = ($x, $y);
    if (y != 0 && x % y == 0) option::some(x / y) else option::none()
}

public macro fun num_to_string($x: _): std::string::String {
    let mut x = $x;
    let mut digits = vector[];
    loop {
        digits.push_back((x % 10 + 48) as u8);
        x = x / 10;
        if (x == 0) break
    };
    digits.reverse();
    digits.to_string()
}

public macro fun range_do<$T, $R: drop>($start: $T, $stop: $T, $f: |$T| -> $R) {
    let mut i = $start;
    let stop = $stop;
    while (i < stop) {
        $f(i);
        i = i + 1;
    }
}

public macro fun range_do_eq<$T, $R: drop>($start: $T, $stop: $T, $f: |$T| -> $R) {
    let mut i = $start;
    let stop = $stop;
    if (i <= stop) loop {
        $f(i);
        // Not `i <= stop` after the step: `stop` may be the largest value of the type.
        if (i == stop) break;
        i = i + 1;
    }
}

public macro fun do<$T, $R: drop>($stop: $T, $f: |$T| -> $R) {
    range_do!(0, $stop, $f)
}

public macro fun do_eq<$T, $R: drop>($stop: $T, $f: |$T| -> $R) {
    range_do_eq!(0, $stop, $f)
}

public macro fun num_try_as<$T, $U>($x: $T, $max: $T): Option<$U> {
    let x = $x;
    if (x > $max) option::none() else option::some(x as $U)
}
