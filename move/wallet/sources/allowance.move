/// Amounts that run down, and the one that never does.
module wallet::allowance;

/// Never runs down: the largest u64.
public(package) macro fun unlimited(): u64 {
    std::u64::max_value!()
}

/// What is left of `allowance` after `amount`, which must not be larger.
public(package) fun less(allowance: u64, amount: u64): u64 {
    if (allowance == unlimited!()) allowance else allowance - amount
}
