import type { HostileAdaptor, Names, Variant } from '../adaptor.ts';
import { importUsed } from '../imports.ts';
import { type Condition, conditions } from './conditions.ts';
import { type Destination, destinations } from './destinations.ts';
import { type Frame, type FrameName, frames } from './frames.ts';
import { type Route, type RouteCode, routes } from './routes.ts';

/** Each destination is combined with this number of others. */
const perDestination = 5;

const shares = ['money.value() / 10', 'amount / 10', '900'];

/** The parts of one adaptor. */
export interface Rake {
  name: string;
  frame: FrameName;
  destination: string;
  route: string;
  condition: string;
  /** Move expression for the amount that is taken. */
  share: string;
}

/** Every destination by several routes under several conditions. Each route and each condition is used several times. */
export function listRakes(): Rake[] {
  const [frameNames, routeNames, conditionNames] = [frames, routes, conditions].map((each) =>
    Object.keys(each),
  );
  return Object.entries(destinations).flatMap(([destination, { not }], d) =>
    Array.from({ length: perDestination }, (_, k) => {
      const i = d * perDestination + k;
      const allowed = frameNames!.filter((frame) => !not?.some((each) => each === frame)) as FrameName[];
      const route = routeNames![i % routeNames!.length]!;
      const condition = conditionNames![(i + d) % conditionNames!.length]!;
      const frame = allowed[(i + d) % allowed.length]!;
      const name = `${frame}_${destination}_by_${route}_if_${condition}`;
      return { name, frame, destination, route, condition, share: shares[i % shares.length]! };
    }),
  );
}

export function composeRake(rake: Rake): HostileAdaptor {
  const parts: Parts = {
    frame: frames[rake.frame],
    destination: destinations[rake.destination]!,
    route: routes[rake.route]!,
    condition: conditions[rake.condition]!,
    share: rake.share,
  };
  const { frame, destination, route, condition } = parts;
  const jar = frame.parameter === undefined ? 0 : 1;
  return {
    name: rake.name,
    plant: `Takes money ${[destination.words, route.words, condition.words].filter(Boolean).join(', ')}.`,
    op: 'pay',
    write: (module, variant) => writeRake(module, variant, parts),
    shownBy: 'present',
    claim: ({ self, accomplice }) => ({
      kind: 'goesTo',
      source: frame.source(self),
      sink: destination.sink({ self, accomplice, jar, extra: jar + 2 }),
      ...(condition.decidedBy && { decidedBy: [condition.decidedBy({ self, amount: jar + 1 })] }),
    }),
    at: (names) => findPlanted(names, rake.route, destination),
  };
}

function findPlanted({ self, accomplice }: Names, route: string, { at }: Destination): string {
  if (at !== undefined) return `${accomplice}::${at}`;
  return `${self}::${route === 'direct' ? 'pay' : 'send'}`;
}

interface Parts {
  frame: Frame;
  destination: Destination;
  route: Route;
  condition: Condition;
  share: string;
}

function writeRake(module: string, variant: Variant, parts: Parts): Record<string, string> {
  const { frame, destination, route, condition, share } = parts;
  const extra = destination.parameter;
  const extraName = extra?.split(':')[0];
  const send = variant === 'hostile' ? destination.send : frame.honestly;
  const code: RouteCode = {
    module,
    args: ['jar', extraName, 'ctx'].filter(Boolean).join(', '),
    parameters: ['jar: &mut Jar', extra, 'ctx: &mut TxContext'].filter(Boolean).join(', '),
    send,
  };
  const fields = Object.entries({ ...destination.fields, ...route.fields, ...condition.fields });
  const parameters = [
    frame.parameter,
    'jar: &mut Jar',
    'amount: u64',
    extra,
    'clock: &Clock',
    'ctx: &mut TxContext',
  ];
  const take = `let share = ${share};\n    let cut = money.split(share);\n    ${route.call(code)}`;
  const test =
    condition.test === undefined
      ? take
      : `if (${condition.test}) {\n    ${take.replaceAll('\n', '\n    ')}\n    };`;
  const body = `public struct Jar has key {
    id: UID,
    money: Balance<SUI>,
    tips: u64,
${fields.map(([name, [type]]) => `    ${name}: ${type},\n`).join('')}}

${[frame, destination, condition].map(({ declarations }) => (declarations ? `${declarations}\n` : '')).join('')}fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar {
        id: object::new(ctx),
        money: balance::zero(),
        tips: 0,
${fields.map(([name, [, value]]) => `        ${name}: ${value},\n`).join('')}    })
}

public fun pay(${parameters.filter(Boolean).join(', ')}) {
    ${frame.begin}
${condition.before ? `    ${condition.before}\n` : ''}    ${test}
    ${frame.end}
}
${route.declare ? `\n${route.declare(code)}` : ''}${
  route === routes.direct
    ? ''
    : `
fun send(cut: Balance<SUI>, ${code.parameters}) {
    ${send}
}
`
}`;
  const source = `module hostile::${module};\n\n${importUsed(body)}\n${body}`;
  return { [module]: source, ...(route.parts && { [`${module}_parts`]: route.parts(module) }) };
}
