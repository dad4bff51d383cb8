import { Command, CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { addMisbehaviourFlags, misbehaviourOf } from './flags.ts';

function parse(...words: string[]) {
  const command = addMisbehaviourFlags(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return misbehaviourOf(command.parse(words, { from: 'user' }).opts());
}

test('flags are made into what the admin call takes', () => {
  expect(parse()).toEqual({});
  const short = ['--drop-stream-after', '3', '--stall-stream-after', '0', '--goaway-after', '5'];
  expect(parse(...short, '--fail', 'UNAVAILABLE:0.25:9', '--refuse-lists', '--lag-lists', '4')).toEqual({
    dropStream: { afterFrames: 3 },
    stallStream: { afterFrames: 0 },
    goAway: { afterCalls: 5 },
    failCalls: { code: 'UNAVAILABLE', share: 0.25, seed: 9 },
    refuseLists: true,
    lagLists: { checkpoints: 4 },
  });
  const others = [
    '--lose-answers',
    '0.5',
    '--forget-below',
    '9',
    '--prune-below',
    '7',
    '--clock-offset',
    '-60000',
    '--chain-id',
    'x',
  ];
  expect(parse(...others)).toEqual({
    loseAnswers: { answer: 'never', share: 0.5, seed: 1 },
    forget: { below: 9 },
    prune: { below: 7 },
    clock: { offsetMs: -60_000 },
    chainId: 'x',
  });
  const provider = ['--limit-calls', '100:5000', '--late', '8:0.5', '--fork-from', '9', '--restart', '250'];
  expect(parse(...provider, '--cut-streams-after', '60000')).toEqual({
    limitCalls: { calls: 100, windowMs: 5_000, answer: 'RESOURCE_EXHAUSTED', delay: true },
    late: { checkpoints: 8, share: 0.5, seed: 1 },
    fork: { from: 9 },
    restart: { downMs: 250 },
    cutStreams: { afterMs: 60_000 },
  });
  expect(parse('--misbehave', '{"dropStream":{"afterFrames":1,"methods":["SubscribeEvents"]}}')).toEqual({
    dropStream: { afterFrames: 1, methods: ['SubscribeEvents'] },
  });
});

test.each([
  ['--drop-stream-after', 'soon'],
  ['--fail', 'TIRED'],
  ['--fail', 'UNAVAILABLE:often'],
  ['--lose-answers', '7'],
  ['--misbehave', '{"sulk":true}'],
  ['--misbehave', 'no json'],
])('%s %s is refused', (flag, text) => {
  expect(() => parse(flag, text)).toThrow(CommanderError);
});
