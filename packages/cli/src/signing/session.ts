import type { Signer } from '@mysten/sui/cryptography';
import type { Command } from 'commander';
import { originArgument } from '../arguments.ts';
import type { Io } from '../io.ts';
import {
  type Connection,
  type NodeOptions,
  type Packages,
  packagesOf,
  withConnection,
} from '../network/connect.ts';
import { apiCommand } from '../options.ts';
import { readKey } from './key.ts';

export interface SigningOptions extends NodeOptions {
  keyFile?: string;
}

/** Who signs, and the network and marketplace that it is for. */
export interface Session extends Connection, Packages {
  signer: Signer;
  address: string;
}

/** A command that goes by the key of its user, and by a node beside the marketplace. */
export function signingCommand(name: string, description: string): Command {
  return keyOption(
    apiCommand(name, description)
      .option('--rpc <url>', 'the node; see below', originArgument)
      .addHelpText(
        'after',
        'The node is --rpc, else SUI_RPC_URL, else the local one (rpcUrl in the same demo.json, else\n' +
          "http://127.0.0.1:9000) if it has the chain that the marketplace follows, else the network's public node.",
      ),
  );
}

export function keyOption(command: Command): Command {
  return command
    .option('--key-file <file>', 'the key; see below')
    .addHelpText(
      'after',
      'The key is the suiprivkey1... in the file --key-file, else SUI_SECRET_KEY_FILE, which only its owner may read,\n' +
        'else SUI_SECRET_KEY. "adaptor-marketplace new-key <file>" makes one.',
    );
}

/** Runs what signs. */
export async function withSession<Result>(
  io: Io,
  options: SigningOptions,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const signer = await readKey(options.keyFile, io.env);
  return await withConnection(io, options, async (connection, served) => {
    const packages = await packagesOf(connection.client, served);
    return await work({ ...connection, ...packages, signer, address: signer.toSuiAddress() });
  });
}
