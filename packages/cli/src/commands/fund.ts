import { addressArgument, baseArgument } from '../arguments.ts';
import type { Io } from '../io.ts';
import { suiInWords } from '../network/balance.ts';
import { servedBy } from '../network/connect.ts';
import { faucetOf, refuseMainnet, takeCoins } from '../network/faucet.ts';
import { answer, apiCommand, apiOf, withExamples } from '../options.ts';
import { readKey } from '../signing/key.ts';
import { keyOption, type SigningOptions } from '../signing/session.ts';

interface Options extends SigningOptions {
  faucet?: string;
}

/** Coins for gas, where they are free. */
export function fundCommand(io: Io) {
  const command = keyOption(
    apiCommand('fund', 'Takes SUI for an address from the faucet of the local network or of testnet.'),
  )
    .argument('[address]', 'who gets the coins; else the address of the key', addressArgument)
    .option('--faucet <url>', 'this faucet; else that of the network', baseArgument)
    .action(async (given: string | undefined, options: Options) => {
      if (options.network === 'mainnet') refuseMainnet(given);
      const address = given ?? (await readKey(options.keyFile, io.env)).toSuiAddress();
      const faucet = options.faucet ?? (await faucetFor(io, address, options));
      const amount = await takeCoins(faucet, address);
      answer(io, options, { address, amount: String(amount), faucet }, () => [
        `${address} got ${suiInWords(amount)} from ${faucet}`,
      ]);
    });
  return withExamples(command, 'fund', 'fund 0x4179... --faucet http://127.0.0.1:9123');
}

async function faucetFor(io: Io, address: string, options: Options): Promise<string> {
  const api = await apiOf(io, options);
  const chain = await servedBy(api, options.network);
  return await faucetOf(io, address, { marketplace: api.url, chain });
}
