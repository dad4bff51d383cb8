/// Takes a wallet's coins into a vault and back. The shares are a coin, so both ways are swaps: the wallet holds
/// either the asset or the share.
module share_vault::share_vault;

use sui::clock::Clock;
use vault::vault::Vault;
use wallet::intent;
use wallet::wallet::Wallet;

/// Names this service in the adaptor registry and in wallets' grants.
public struct ShareVault has drop {}

public fun deposit<Asset, Share>(
    wallet: &mut Wallet,
    vault: &mut Vault<Asset, Share>,
    amount: u64,
    min_shares: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let request = intent::request_swap<_, Asset, Share>(ShareVault {}, amount, min_shares);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    let shares = vault.deposit(coin, min_shares, ctx);
    let receipt = intent::create_swap_receipt(ShareVault {}, amount, shares.value());
    intent::verify_swap_and_credit(wallet, witness, receipt, shares)
}

public fun withdraw<Asset, Share>(
    wallet: &mut Wallet,
    vault: &mut Vault<Asset, Share>,
    shares: u64,
    min_assets: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let request = intent::request_swap<_, Share, Asset>(ShareVault {}, shares, min_assets);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    let assets = vault.withdraw(coin, min_assets, ctx);
    let receipt = intent::create_swap_receipt(ShareVault {}, shares, assets.value());
    intent::verify_swap_and_credit(wallet, witness, receipt, assets)
}
