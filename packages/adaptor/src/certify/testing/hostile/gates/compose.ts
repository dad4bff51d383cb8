import type { HostileAdaptor, Variant } from '../adaptor.ts';
import { importUsed } from '../imports.ts';
import type { Gate } from './gates.ts';

/** The name of the adaptor with a gate. */
export const gateName = (gate: string): string => `withdraw_gated_by_${gate}`;

/** Savings that owners get back only if a check lets them. */
export function composeGate([name, gate]: [name: string, gate: Gate]): HostileAdaptor {
  return {
    name: gateName(name),
    plant: `Savings are only paid back after ${gate.words}.`,
    op: 'withdraw',
    write: (module, variant) => writeSavings(module, variant, gate),
    shownBy: 'present',
    claim: (names) => ({ kind: 'gate', ...gate.claim(names) }),
    at: ({ self }) => `${self}::${gate.at ?? 'withdraw'}`,
  };
}

function writeSavings(module: string, variant: Variant, gate: Gate): Record<string, string> {
  const fields = Object.entries(gate.fields ?? {});
  const parameters = ['jar: &mut Jar', 'amount: u64', gate.parameter, 'ctx: &mut TxContext'].filter(Boolean);
  const hasCap = gate.declarations?.includes('struct AdminCap');
  const body = `public struct Jar has key {
    id: UID,
    shares: Table<address, Balance<SUI>>,
${fields.map(([field, [type]]) => `    ${field}: ${type},\n`).join('')}}

${gate.declarations ?? ''}
fun init(ctx: &mut TxContext) {
${hasCap ? '    transfer::transfer(AdminCap { id: object::new(ctx) }, ctx.sender());\n' : ''}${gate.init ? `    ${gate.init}\n` : ''}    transfer::share_object(Jar {
        id: object::new(ctx),
        shares: table::new(ctx),
${fields.map(([field, [, value]]) => `        ${field}: ${value},\n`).join('')}    })
}

public fun save(jar: &mut Jar, money: Coin<SUI>, ctx: &TxContext) {
    let owner = ctx.sender();
    if (!jar.shares.contains(owner)) jar.shares.add(owner, balance::zero());
    jar.shares[owner].join(money.into_balance());
}

public fun withdraw(${parameters.join(', ')}): Coin<SUI> {
${variant === 'hostile' ? `    ${gate.check}\n` : ''}    jar.shares[ctx.sender()].split(amount).into_coin(ctx)
}
`;
  return { [module]: `module hostile::${module};\n\n${importUsed(body)}\n${body}` };
}
