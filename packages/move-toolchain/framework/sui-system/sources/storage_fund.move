/// What was paid for storage until the epoch began.
module sui_system::storage_fund;

use sui::balance::{Self, Balance};
use sui::sui::SUI;

public struct StorageFund has store {
    total_object_storage_rebates: Balance<SUI>,
    non_refundable_balance: Balance<SUI>,
}

public(package) fun empty(): StorageFund {
    StorageFund { total_object_storage_rebates: balance::zero(), non_refundable_balance: balance::zero() }
}

public fun total_object_storage_rebates(self: &StorageFund): u64 {
    self.total_object_storage_rebates.value()
}

public fun total_balance(self: &StorageFund): u64 {
    self.total_object_storage_rebates() + self.non_refundable_balance.value()
}
