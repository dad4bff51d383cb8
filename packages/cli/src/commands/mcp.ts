import { marketplaceServer } from '@adaptor-marketplace/mcp';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Command } from 'commander';
import { type Io, say } from '../io.ts';
import {
  type ApiOptions,
  addExamples,
  baseArgument,
  endpointHelp,
  profileOption,
  resolveEndpoint,
} from '../options.ts';

/** `mcp`: serves the marketplace's tools to a client that starts this program. It uses no key of this machine. */
export function createMcpCommand(io: Io) {
  const command = new Command('mcp')
    .description(
      'Serves the marketplace as tools for a model (Model Context Protocol) over standard input and output.',
    )
    .option('--url <url>', 'url of the marketplace; see below', baseArgument)
    .addOption(profileOption())
    .addHelpText(
      'after',
      `\n${endpointHelp}\n\nMARKETPLACE_API_KEY raises the rate limit. MARKETPLACE_EXECUTOR_KEY, or a session in its place, lets the\n` +
        'tools simulate and run actions of its wallet. No tool signs with a key of this machine.',
    )
    .action(async (options: ApiOptions) => {
      const token = io.env.MARKETPLACE_EXECUTOR_KEY?.trim() || undefined;
      const market = { ...(await resolveEndpoint(io, options)), token };
      const onerror = (error: Error) => say(io.err, [`error: ${error.message}`]);
      const connection = serveStdio(() => marketplaceServer(market), { onerror });
      await new Promise((resolve) => process.stdin.once('close', resolve));
      await connection.close();
    });
  return addExamples(command, 'mcp --url https://marketplace.example');
}
