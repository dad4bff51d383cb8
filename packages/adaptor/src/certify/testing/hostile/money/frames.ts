/** An honest op that moves money. Its plant takes from `money` before the rest goes on. */
export interface Frame {
  /** The op's first parameter, from which the money comes, if it is not the jar. */
  parameter: string | undefined;
  /** Struct that names the service, for ops of wallets. */
  declarations: string;
  begin: string;
  end: string;
  /** Statement that sends `cut` to where the rest of the money goes. */
  honestly: string;
  /** The source of the money, in terms of a claim. */
  source: (self: string) => Record<string, unknown>;
}

const kept = 'jar.money.join(cut);';

export const frames = {
  wallet: {
    parameter: 'wallet: &mut Wallet',
    declarations: '/// Names this service in grants.\npublic struct Service has drop {}\n',
    begin: `let recipient = object::id_address(jar);
    let request = intent::request_payment<_, SUI>(Service {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    let mut money = coin.into_balance();`,
    end: `jar.money.join(money);
    let receipt = intent::create_receipt_sig(Service {}, amount, recipient);
    intent::verify_and_clear(wallet, witness, receipt)`,
    honestly: kept,
    source: () => ({ kind: 'wallet', parameter: 0 }),
  },
  coin: {
    parameter: 'payment: Coin<SUI>',
    declarations: '',
    begin: 'let mut money = payment.into_balance();',
    end: 'jar.money.join(money);',
    honestly: kept,
    source: () => ({ kind: 'argument', parameter: 0 }),
  },
  purse: {
    parameter: 'purse: &mut Coin<SUI>',
    declarations: '',
    begin: 'let mut money = purse.balance_mut().split(amount);',
    end: 'jar.money.join(money);',
    honestly: kept,
    source: () => ({ kind: 'argument', parameter: 0 }),
  },
  withdrawal: {
    parameter: undefined,
    declarations: `/// Puts money in.
public fun fund(jar: &mut Jar, money: Coin<SUI>) { jar.money.join(money.into_balance()); }
`,
    begin: 'let mut money = jar.money.split(amount);',
    end: 'transfer::public_transfer(money.into_coin(ctx), ctx.sender());',
    honestly: 'transfer::public_transfer(cut.into_coin(ctx), ctx.sender());',
    source: (self) => ({ kind: 'state', path: `${self}::Jar.money` }),
  },
} satisfies Record<string, Frame>;

export type FrameName = keyof typeof frames;
