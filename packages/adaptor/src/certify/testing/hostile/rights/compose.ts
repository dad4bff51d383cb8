import type { HostileAdaptor, Variant } from '../adaptor.ts';
import { importUsed } from '../imports.ts';
import { type Guard, guards, soundGuard } from './guards.ts';
import { type Knob, knobs } from './knobs.ts';

/** An adaptor whose payments go by a stored rate or to a stored recipient, which others than the publisher can change. */
export interface OpenSetter {
  name: string;
  /** Key of `guards`. */
  guard: string;
  knob: Knob;
}

/** Each guard with one of the knobs. */
export const openSetters: readonly OpenSetter[] = Object.keys(guards).map((guard, i) => {
  const knob = knobs[i % knobs.length]!;
  return { name: `set_${knob.field[0]}_${guard}`, guard, knob };
});

export function composeSetter({ name, guard: guardName, knob }: OpenSetter): HostileAdaptor {
  const guard = guards[guardName]!;
  return {
    name,
    plant: `The ${knob.words} of payments can be set ${guard.words}.`,
    op: 'pay',
    write: (module, variant) => writeSetter(module, variant, knob, guard),
    shownBy: 'present',
    claim: ({ self }) => ({
      kind: 'steers',
      reaches: knob.type === 'u64' ? 'amount' : 'recipient',
      path: typeof knob.path === 'string' ? `${self}::${knob.path}` : knob.path,
      writers: {
        list: [{ function: `${self}::${guard.entrance ?? 'set'}`, needs: guard.needs?.(self) ?? [] }],
      },
    }),
    at: ({ self }) => `${self}::store`,
  };
}

function writeSetter(module: string, variant: Variant, knob: Knob, guard: Guard): Record<string, string> {
  const { declarations, parameter, typeParameters, check, field, init, visibility } =
    variant === 'hostile' ? guard : soundGuard;
  const fields = [knob.field, ...(field ? [field] : [])];
  const rateOf = knob.type === 'u64' ? `money.value() * (${knob.read}) / 10_000` : 'money.value() / 100';
  const recipient = knob.type === 'u64' ? '@0x7' : knob.read;
  const parameters = ['jar: &mut Jar', `value: ${knob.type}`, parameter, 'ctx: &TxContext'].filter(Boolean);
  const body = `public struct Jar has key {
    id: UID,
    money: Balance<SUI>,
    tips: u64,
${fields.map(([name, type]) => `    ${name}: ${type},\n`).join('')}}

${knob.declarations ?? ''}${declarations.replaceAll('VALUE', knob.type)}
fun init(ctx: &mut TxContext) {
    let jar = Jar {
        id: object::new(ctx),
        money: balance::zero(),
        tips: 0,
${fields.map(([name, , value]) => `        ${name}: ${value},\n`).join('')}    };
${init ? `    ${init}\n` : ''}    transfer::share_object(jar)
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext) {
    let mut money = payment.into_balance();
    let share = ${rateOf};
    let recipient = ${recipient};
    transfer::public_transfer(money.split(share).into_coin(ctx), recipient);
    jar.tips = jar.tips + 1;
    jar.money.join(money);
}

${visibility ?? 'public'} fun set${typeParameters ?? ''}(${parameters.join(', ')}) {
${check ? `    ${check}\n` : ''}    store(jar, value)
}

fun store(jar: &mut Jar, value: ${knob.type}) {
    ${knob.write}
}
`;
  return { [module]: `module hostile::${module};\n\n${importUsed(body)}\n${body}` };
}
