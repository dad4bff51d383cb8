/// Stakes a wallet's SUI and brings it back. The shares are a coin, so both ways are swaps: the wallet holds either
/// SUI or the share.
module liquid_staking::liquid_staking;

use liquid_stake::liquid_stake::StakePool;
use sui::clock::Clock;
use sui::sui::SUI;
use wallet::intent;
use wallet::wallet::Wallet;

/// Names this service in the adaptor registry and in wallets' grants.
public struct LiquidStaking has drop {}

public fun stake<Share>(
    wallet: &mut Wallet,
    pool: &mut StakePool<Share>,
    amount: u64,
    min_shares: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let request = intent::request_swap<_, SUI, Share>(LiquidStaking {}, amount, min_shares);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    let shares = pool.stake(coin, min_shares, ctx);
    let receipt = intent::create_swap_receipt(LiquidStaking {}, amount, shares.value());
    intent::verify_swap_and_credit(wallet, witness, receipt, shares)
}

public fun unstake<Share>(
    wallet: &mut Wallet,
    pool: &mut StakePool<Share>,
    shares: u64,
    min_sui: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let request = intent::request_swap<_, Share, SUI>(LiquidStaking {}, shares, min_sui);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    let paid = pool.unstake(coin, min_sui, ctx);
    let receipt = intent::create_swap_receipt(LiquidStaking {}, shares, paid.value());
    intent::verify_swap_and_credit(wallet, witness, receipt, paid)
}
