/// Amounts that decrease with use, and the unlimited amount.
module wallet::allowance;

/// Unlimited: the largest u64. It does not decrease.
public(package) macro fun unlimited(): u64 {
    std::u64::max_value!()
}

/// The rest of `allowance` after `amount`, which must not be larger.
public(package) fun less(allowance: u64, amount: u64): u64 {
    if (allowance == unlimited!()) allowance else allowance - amount
}
