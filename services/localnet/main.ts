import { once } from 'node:events';
import { Command, InvalidArgumentError } from 'commander';
import { messageOf } from '../../lib/errors/index.ts';
import { createLogger } from '../../lib/log/index.ts';
import { defaultCheckpointIntervalMs, startLocalnet } from './start.ts';

const wholeNumber = (min: number, max: number) => (text: string) => {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
};
const port = wholeNumber(0, 65_535);

interface Options {
  port: number;
  faucetPort: number;
  checkpointInterval: number;
  host: string;
  dataDir?: string;
}

const command = new Command('localnet')
  .description('A Sui network in one process: gRPC and grpc-web on one port, a faucet on another.')
  .option('--port <port>', 'gRPC and grpc-web port, 0 for a free one', port, 9000)
  .option('--faucet-port <port>', 'faucet port, 0 for a free one', port, 9123)
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option(
    '--checkpoint-interval <ms>',
    'how often executed transactions are put into a checkpoint',
    wholeNumber(1, 3_600_000),
    defaultCheckpointIntervalMs,
  )
  .option('--data-dir <folder>', 'keep the state here and continue from it (default: in memory)')
  .action(run);

async function run(options: Options): Promise<void> {
  const localnet = await startLocalnet({
    dataDir: options.dataDir ?? ':memory:',
    host: options.host,
    port: options.port,
    faucetPort: options.faucetPort,
    checkpointIntervalMs: options.checkpointInterval,
    log: createLogger('info', 'localnet'),
  });
  console.log(`Local Sui network, chain ${localnet.ledger.chainId}`);
  console.log(`  gRPC and grpc-web  ${localnet.rpcUrl}`);
  console.log(`  faucet             ${localnet.faucetUrl}/v2/gas`);
  console.log(`  state              ${options.dataDir ?? 'in memory, gone when this ends'}`);
  console.log('Ctrl-C ends it.');
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await localnet.close();
}

try {
  await command.parseAsync();
} catch (error) {
  console.error(`The local network could not start: ${messageOf(error)}`);
  process.exitCode = 1;
}
