/// What wallets do with coins, as entry functions.
module sui::pay;

use sui::coin::Coin;

/// There is nothing to join.
const ENoCoins: u64 = 0;

#[allow(lint(self_transfer))]
public fun keep<T>(c: Coin<T>, ctx: &TxContext) {
    transfer::public_transfer(c, ctx.sender())
}

public entry fun split<T>(coin: &mut Coin<T>, split_amount: u64, ctx: &mut TxContext) {
    keep(coin.split(split_amount, ctx), ctx)
}

public entry fun split_vec<T>(self: &mut Coin<T>, split_amounts: vector<u64>, ctx: &mut TxContext) {
    split_amounts.do!(|amount| split(self, amount, ctx))
}

public entry fun split_and_transfer<T>(
    c: &mut Coin<T>,
    amount: u64,
    recipient: address,
    ctx: &mut TxContext,
) {
    transfer::public_transfer(c.split(amount, ctx), recipient)
}

/// Parts of equal value; what is left over stays in `self`.
public entry fun divide_and_keep<T>(self: &mut Coin<T>, n: u64, ctx: &mut TxContext) {
    self.divide_into_n(n, ctx).destroy!(|part| keep(part, ctx))
}

public entry fun join<T>(self: &mut Coin<T>, coin: Coin<T>) {
    self.join(coin)
}

public entry fun join_vec<T>(self: &mut Coin<T>, coins: vector<Coin<T>>) {
    coins.destroy!(|coin| self.join(coin))
}

public entry fun join_vec_and_transfer<T>(mut coins: vector<Coin<T>>, receiver: address) {
    assert!(!coins.is_empty(), ENoCoins);
    let mut all = coins.pop_back();
    join_vec(&mut all, coins);
    transfer::public_transfer(all, receiver)
}
