/// The service whose op an action calls. Its witness is its own: the steps of this package act by it.
module money_guard::service;

use money_guard::bank;
use std::string::String;
use wallet::wallet::Wallet;

public struct S has drop {}

public(package) fun witness(): S { S {} }

/// Puts a thing of the service's into the wallet.
public fun lend(wallet: &mut Wallet, name: String, ctx: &mut TxContext) {
    wallet.receive_asset_from_service(bank::make(ctx), name, S {})
}
