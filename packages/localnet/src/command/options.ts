import { Command, InvalidArgumentError, Option } from 'commander';
import { addMisbehaviourFlags } from '../misbehaviour/flags.ts';
import { canonicalAddress } from '../rpc/query/move-path.ts';
import { canonicalName, type NameEntry } from '../rpc/services/names.ts';
import { defaultCheckpointIntervalMs } from '../start.ts';

export interface Options {
  port: number;
  faucetPort: number;
  checkpointInterval: number;
  host: string;
  dataDir?: string;
  /** Absent: all. */
  keepCheckpoints?: number;
  /** Canonical addresses. */
  fund: string[];
  /** Folders. */
  publish: string[];
  /** Upgrades what was published as its sources change. */
  watch?: boolean;
  name: NameEntry[];
  adminFromAnywhere?: boolean;
  json?: boolean;
}

const wholeNumber = (min: number, max: number) => (text: string) => {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
};
const port = wholeNumber(0, 65_535);

function address(text: string): string {
  const canonical = canonicalAddress(text);
  if (canonical !== undefined) return canonical;
  throw new InvalidArgumentError('Expected an address: 0x and up to 64 hex digits.');
}

function nameEntry(text: string): NameEntry {
  const [given = '', target = ''] = text.split('=');
  const name = canonicalName(given);
  if (name === undefined) throw new InvalidArgumentError('Expected a name and its address: demo.sui=0x...');
  return { name, address: address(target) };
}

/** Checkpoints without `--data-dir`: days of an idle network, in 30 MB. */
const keptInMemory = 100_000;

/** An option that may be given several times. */
function several<Value>(flags: string, description: string, parse: (text: string) => Value): Option {
  return new Option(flags, `${description}; may be repeated`)
    .default([], 'none')
    .argParser((text, earlier: Value[]) => [...earlier, parse(text)]);
}

/** The command line of the local network; `run` gets the options and all that the flags were. */
export function localnetCommand(
  run: (options: Options, flags: Record<string, unknown>) => Promise<void>,
  callAdmin: (host: string, faucetPort: number, path: string) => Promise<void>,
) {
  const command = new Command('adaptor-marketplace localnet')
    .description('A Sui network in one process: gRPC and grpc-web on one port, a faucet on another.')
    .exitOverride()
    .option('--port <port>', 'gRPC and grpc-web port, 0 for a free one', port, 9000)
    .option('--faucet-port <port>', 'faucet port, 0 for a free one', port, 9123)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--checkpoint-interval <ms>',
      'interval of checkpoints',
      wholeNumber(1, 3_600_000),
      defaultCheckpointIntervalMs,
    )
    .option('--data-dir <folder>', 'store the state in this folder and continue from it (default: in memory)')
    .option(
      '--keep-checkpoints <count>',
      `prune older checkpoints and their transactions (default: keep all; in memory ${keptInMemory})`,
      wholeNumber(1, 1_000_000_000),
    )
    .addOption(several('--fund <address>', 'send coins from the faucet to this address', address))
    .addOption(
      several('--publish <folder>', 'compile and publish a Move package after those it uses', String),
    )
    .option(
      '--watch',
      'upgrade published packages when their sources change; the upgrade caps stay with the command',
    )
    .addOption(several('--name <name=address>', 'a name of the name service', nameEntry))
    .option('--admin-from-anywhere', 'accept requests to /admin from other machines')
    .addOption(
      new Option('--json', 'print one line of JSON when the network is ready, and nothing else').conflicts(
        'watch',
      ),
    )
    .action((given: Options & Record<string, unknown>) => {
      const keptByDefault = given.dataDir === undefined ? { keepCheckpoints: keptInMemory } : {};
      return run({ ...keptByDefault, ...given }, given);
    });
  const changes = [
    [
      'snapshot <name>',
      'store the state of a running network, in its memory',
      (name: string) => `snapshots/${name}`,
    ],
    ['restore <name>', 'go back to a snapshot', (name: string) => `snapshots/${name}/restore`],
    ['reset', 'begin another chain, without any data', () => 'reset'],
  ] as const;
  for (const [usage, description, path] of changes) {
    command
      .command(usage)
      .description(description)
      .action((...given: unknown[]) => {
        const { host, faucetPort } = command.opts<Options>();
        const name = typeof given[0] === 'string' ? given[0] : '';
        return callAdmin(host, faucetPort, path(encodeURIComponent(name)));
      });
  }
  command.addHelpText(
    'after',
    '\nExamples:\n  adaptor-marketplace localnet --fund 0x4179... --publish my_adaptor\n' +
      '  adaptor-marketplace localnet --port 9001 --faucet-port 0 --data-dir .localnet\n' +
      '  adaptor-marketplace localnet --publish my_adaptor --watch\n' +
      '  adaptor-marketplace localnet --faucet-port 9123 restore published',
  );
  command.optionsGroup('Misbehaviour on demand:');
  return addMisbehaviourFlags(command);
}
