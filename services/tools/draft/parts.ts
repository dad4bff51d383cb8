import type { ActionStep } from '../../../lib/actions/request.ts';
import type { ProtocolStep } from '../../../lib/actions/requirements.ts';
import type { ProblemError } from '../../../lib/errors/index.ts';
import { readCaps } from './caps.ts';
import type { SpendStep } from './choose-cap.ts';
import type { DraftNetwork } from '../options.ts';
import { findListed } from './listed.ts';
import type { Part } from './part.ts';
import { protocolPart } from './protocol-part.ts';
import { type NameStep, stepNamer } from './grants.ts';
import { spendPart } from './spend-part.ts';

/** Who acts for which wallet. */
interface Acting {
  sender: string;
  walletId: string;
}

/**
 * The steps of a draft, in their order.
 * @throws ProblemError as `protocolPart` and `spendPart`; of several steps, `detail` names the one
 */
export async function partsOf(
  host: DraftNetwork,
  steps: readonly ActionStep[],
  acting: Acting,
): Promise<Part[]> {
  const named = stepNamer(steps);
  const [calls, payments] = await Promise.all([
    protocolParts(host, steps.filter(isProtocolStep), acting, named),
    spendParts(host, steps.filter(isSpend), acting, named),
  ]);
  return steps.map((step) => {
    const part = (isSpend(step) ? payments : calls).shift()!;
    return part.doubt ? { ...part, doubt: named(step, part.doubt) as ProblemError } : part;
  });
}

async function protocolParts(
  host: DraftNetwork,
  steps: readonly ProtocolStep[],
  { walletId }: Acting,
  named: NameStep,
): Promise<Part[]> {
  const listed = await findListed(host, steps, named);
  return Promise.all(
    listed.map((one) =>
      protocolPart(host, walletId, one).catch((error) => {
        throw named(one.step, error);
      }),
    ),
  );
}

async function spendParts(
  host: DraftNetwork,
  steps: readonly SpendStep[],
  { sender, walletId }: Acting,
  named: NameStep,
): Promise<Part[]> {
  if (steps.length === 0) return [];
  const capIds = steps.flatMap(({ capId }) => capId ?? []);
  const held = await readCaps(host, { sender, walletId, named: capIds });
  const parts: Part[] = [];
  const spent = new Map<string, bigint>();
  for (const step of steps) {
    const choice = { host, held, step, sender, spent };
    const { capId, ...part } = await spendPart(host, walletId, choice).catch((error) => {
      throw named(step, error);
    });
    parts.push({ capId, ...part });
    if (capId !== null) spent.set(capId, (spent.get(capId) ?? 0n) + BigInt(step.amount));
  }
  return parts;
}

const isSpend = (step: ActionStep): step is SpendStep => step.action === 'spend';
const isProtocolStep = (step: ActionStep): step is ProtocolStep => step.action !== 'spend';
