/// What is paid to stake beyond gas: nothing here.
module sui_system::stake_subsidy;

use sui::bag::{Self, Bag};
use sui::balance::{Self, Balance};
use sui::sui::SUI;

public struct StakeSubsidy has store {
    balance: Balance<SUI>,
    distribution_counter: u64,
    current_distribution_amount: u64,
    stake_subsidy_period_length: u64,
    /// In ten thousandths.
    stake_subsidy_decrease_rate: u16,
    extra_fields: Bag,
}

public(package) fun none(ctx: &mut TxContext): StakeSubsidy {
    StakeSubsidy {
        balance: balance::zero(),
        distribution_counter: 0,
        current_distribution_amount: 0,
        stake_subsidy_period_length: 1,
        stake_subsidy_decrease_rate: 0,
        extra_fields: bag::new(ctx),
    }
}

public fun current_epoch_subsidy_amount(self: &StakeSubsidy): u64 {
    self.current_distribution_amount.min(self.balance.value())
}
