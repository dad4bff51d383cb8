import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { type MisbehaviourPatch, MisbehaviourPatchSchema } from './schema.ts';

interface Flag {
  flags: string;
  description: string;
  /** What the flag's text stands for, to be checked by the schema. */
  patchOf(text: string): unknown;
}

const flags: Flag[] = [
  {
    flags: '--drop-stream-after <frames>',
    description: 'break every stream off after that many frames',
    patchOf: (text) => ({ dropStream: { afterFrames: Number(text) } }),
  },
  {
    flags: '--stall-stream-after <frames>',
    description: 'let every stream fall silent after that many frames',
    patchOf: (text) => ({ stallStream: { afterFrames: Number(text) } }),
  },
  {
    flags: '--cut-streams-after <ms>',
    description: 'break every stream off after that many milliseconds',
    patchOf: (text) => ({ cutStreams: { afterMs: Number(text) } }),
  },
  {
    flags: '--limit-calls <calls[:windowMs]>',
    description: 'refuse more calls than that in each window (30 s) with RESOURCE_EXHAUSTED',
    patchOf(text) {
      const [calls, windowMs] = text.split(':');
      return { limitCalls: { calls: Number(calls), windowMs: windowMs ? Number(windowMs) : undefined } };
    },
  },
  {
    flags: '--late <checkpoints[:share[:seed]]>',
    description: 'answer a share of the calls as a node that is that many checkpoints late: 8:0.5',
    patchOf(text) {
      const [checkpoints, share, seed] = text.split(':');
      const numbers = { share: share ? Number(share) : undefined, seed: seed ? Number(seed) : undefined };
      return { late: { checkpoints: Number(checkpoints), ...numbers } };
    },
  },
  {
    flags: '--fork-from <checkpoint>',
    description: 'show other digests from this checkpoint on',
    patchOf: (text) => ({ fork: { from: Number(text) } }),
  },
  {
    flags: '--restart <ms>',
    description: 'break streams off and refuse every call for that long, once',
    patchOf: (text) => ({ restart: { downMs: Number(text) } }),
  },
  {
    flags: '--goaway-after <calls>',
    description: 'send GOAWAY on each HTTP/2 connection with its n-th call',
    patchOf: (text) => ({ goAway: { afterCalls: Number(text) } }),
  },
  {
    flags: '--fail <code[:share[:seed]]>',
    description: 'answer a share of the calls with a gRPC code: UNAVAILABLE:0.2:7',
    patchOf(text) {
      const [code, share, seed] = text.split(':');
      const numbers = { share: share ? Number(share) : undefined, seed: seed ? Number(seed) : undefined };
      return { failCalls: { code, ...numbers } };
    },
  },
  {
    flags: '--lose-answers <share>',
    description: 'execute transactions but never answer a share of the calls',
    patchOf: (text) => ({ loseAnswers: { share: Number(text) } }),
  },
  {
    flags: '--lag-lists <checkpoints>',
    description: 'end lists of the ledger that many checkpoints before the newest',
    patchOf: (text) => ({ lagLists: { checkpoints: Number(text) } }),
  },
  {
    flags: '--forget-below <checkpoint>',
    description: 'show no checkpoint before this one, as a node that has pruned them',
    patchOf: (text) => ({ forget: { below: Number(text) } }),
  },
  {
    flags: '--prune-below <checkpoint>',
    description: 'forget the checkpoints before this one, for good',
    patchOf: (text) => ({ prune: { below: Number(text) } }),
  },
  {
    flags: '--clock-offset <ms>',
    description: 'be that much ahead of the clock of this machine',
    patchOf: (text) => ({ clock: { offsetMs: Number(text) } }),
  },
  {
    flags: '--chain-id <text>',
    description: 'say that the chain is another one',
    patchOf: (text) => ({ chainId: text }),
  },
  {
    flags: '--misbehave <json>',
    description: 'any of these in detail, as POST /admin/misbehave takes it',
    patchOf: parseJson,
  },
];

/** Adds the flags that put the network out of order; `misbehave` of the options is what they say together. */
export function addMisbehaviourFlags(command: Command): Command {
  command.option('--refuse-lists', 'refuse the lists of the ledger, as a node without indexes');
  for (const { flags: names, description, patchOf } of flags) {
    command.option(names, description, (text: string) => checked(patchOf(text)));
  }
  return command;
}

/** What the flags among a command's options say together. */
export function misbehaviourOf(options: Record<string, unknown>): MisbehaviourPatch {
  const patch: MisbehaviourPatch = options.refuseLists ? { refuseLists: true } : {};
  for (const { flags: names } of flags) {
    const name = names.slice(2).split(' ')[0]!;
    const property = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    Object.assign(patch, options[property]);
  }
  return patch;
}

function checked(value: unknown): MisbehaviourPatch {
  const patch = MisbehaviourPatchSchema.safeParse(value);
  if (patch.success) return patch.data;
  throw new InvalidArgumentError(z.prettifyError(patch.error));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('Not valid JSON.');
  }
}
