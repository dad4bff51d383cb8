import { readFile, stat } from 'node:fs/promises';
import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import {
  nodePackages,
  type PackageContent,
  PackageUnreadableError,
} from '@adaptor-marketplace/adaptor/introspect';
import {
  packSourceFolder,
  readSourceFolder,
  type SourceVerification,
  verifySource,
} from '@adaptor-marketplace/move-toolchain/verify';
import {
  type PreparedSource,
  prepareSource,
  readZip,
  SourceRefusedError,
} from '@adaptor-marketplace/move-toolchain/verify/source';
import type { PackageSource } from '@adaptor-marketplace/sdk';
import { Command } from 'commander';
import { CommandFailedError, explainFileError, explainNodeError, type Io, UsageError } from '../io.ts';
import { chooseNodeUrl, nodeUrlHelp } from '../network.ts';
import {
  type ApiOptions,
  addExamples,
  addressArgument,
  answer,
  createMarketplaceClient,
  endpointHelp,
  networkOption,
  originArgument,
  pickNetwork,
  profileOption,
  urlOption,
} from '../options.ts';
import { offerSource } from './offer-source.ts';
import { describeVerdict } from './source.ts';

interface Options extends ApiOptions {
  source: string;
  folder?: string;
  rpc?: string;
  offer?: boolean;
}

interface ReadSource {
  prepared: PreparedSource;
  /** Packs what was read for a marketplace. */
  pack(): Promise<{ source: Uint8Array<ArrayBuffer>; folder?: string | undefined }>;
}

/** `verify`: compares source with the code of a package on chain. */
export function createVerifyCommand(io: Io) {
  const command = new Command('verify')
    .description(
      'Builds source and compares it with a package on chain, byte by byte and, where compilers differ, step by step. Reads the\n' +
        'package from a node of your choice; without --offer, no marketplace is asked. The build runs in a process of its own, which\n' +
        'makes no request.',
    )
    .argument('<package>', 'id of the package', addressArgument)
    .requiredOption('--source <path>', 'folder of the Move package, or a zip file with it')
    .option('--folder <path>', 'folder of the package in the zip file, if it has several')
    .option('--rpc <url>', 'url of the node; see below', originArgument)
    .option('--offer', 'send source that is the code to a marketplace, and wait for its verdict')
    .addOption(urlOption())
    .addOption(profileOption())
    .addOption(networkOption())
    .option('--json', 'print the result as JSON, and errors as problem+json')
    .addHelpText('after', `\n${nodeUrlHelp}\n\nWith --offer: ${endpointHelp}`)
    .action(async (packageId: string, options: Options) => {
      const market = options.offer ? await createMarketplaceClient(io, options) : undefined;
      const { prepared, pack } = await readSource(options);
      const pkg = await readPackage(io, options, packageId);
      const verification = await verifySource(pkg.modules.values(), prepared);
      const offered =
        market && isSame(verification.verdict)
          ? await offerSource(io, market, { ...(await pack()), packageId: pkg.id, ...pickNetwork(options) })
          : undefined;
      const { id, originalId, version } = pkg;
      const result = {
        package: { id, originalId, version: String(version) },
        ...verification,
        ...(offered && { offered }),
      };
      answer(io, options, result, () => formatVerification(pkg, verification, offered));
      if (verification.verdict === 'differs') {
        throw new CommandFailedError('The source is not the code of the package.');
      }
      if (verification.verdict === 'not_built') throw new CommandFailedError('The source does not build.');
      if (offered && !isSame(offered.verdict)) {
        throw new CommandFailedError('The marketplace has another verdict than this program.');
      }
    });
  return addExamples(
    command,
    'verify 0xbfc9... --source nest_egg',
    'verify 0xbfc9... --source nest_egg.zip --rpc https://fullnode.testnet.sui.io:443 --json',
    'verify 0xbfc9... --source nest_egg --offer --url https://marketplace.example',
  );
}

/** Returns true for a verdict with which the source is the code on chain. */
const isSame = (verdict: string) => verdict !== 'differs' && verdict !== 'not_built';

async function readSource({ source: path, folder }: Options): Promise<ReadSource> {
  const found = await stat(path).catch((error: unknown) => {
    throw new UsageError(`--source: ${explainFileError(path, error)}`);
  });
  try {
    if (!found.isDirectory()) {
      const archive = await readFile(path);
      const prepared = prepareSource(await readZip(archive), folder);
      return { prepared, pack: async () => ({ source: archive, folder }) };
    }
    if (folder !== undefined)
      throw new UsageError('--folder is for zip files. Name the folder with --source.');
    const read = await readSourceFolder(path);
    return {
      prepared: prepareSource(read.files, read.folder, read.gitFolders),
      pack: async () => ({ source: await packSourceFolder(read), folder: read.folder }),
    };
  } catch (error) {
    if (error instanceof SourceRefusedError) throw new CommandFailedError(`${path}: ${error.message}`);
    throw error;
  }
}

async function readPackage(io: Io, options: Options, packageId: string): Promise<PackageContent> {
  const { url, from, token } = await chooseNodeUrl(io, options);
  const client = createChainClient({ url, token });
  try {
    return await nodePackages(client).read(packageId);
  } catch (error) {
    if (!(error instanceof PackageUnreadableError)) throw error;
    if (error.reason === 'absent') throw new CommandFailedError(error.message);
    throw new CommandFailedError(
      `The node ${url} (${from}) does not answer: ${explainNodeError(error.message)}.`,
    );
  } finally {
    client.close();
  }
}

const words: Record<SourceVerification['verdict'], string> = {
  exact: 'exact: the source builds to the bytes on chain',
  same_code: 'same code: other bytes, and the same step at each place of each function',
  same_but_error_lines: 'same but for error lines: aborts name other lines of the source',
  differs: 'differs: the source is not the code on chain',
  not_built: 'not built',
};

const shownMax = 20;

function formatVerification(
  pkg: PackageContent,
  verification: SourceVerification,
  offered: PackageSource | undefined,
): string[] {
  const { verdict, sourceHash, compiler, reason, comparison, dependencies } = verification;
  const lines = [
    `package     ${pkg.id}, version ${pkg.version}`,
    `source      ${sourceHash}`,
    ...(compiler === undefined ? [] : [`compiler    Sui ${compiler}`]),
    ...Object.entries(dependencies).map(([name, id]) => `dependency  ${name} is ${id}, not verified here`),
    `verdict     ${words[verdict]}`,
    ...(offered ? [`marketplace ${describeVerdict(offered)}`] : []),
  ];
  if (reason !== undefined) lines.push('', ...reason.trimEnd().split('\n'));
  if (comparison) lines.push(...listDifferences(comparison));
  return [
    ...lines,
    '',
    'Verified code is the code that you can read. It can still be dangerous: read it, and see certify.',
  ];
}

function listDifferences({
  modules,
  missing,
  extra,
}: NonNullable<SourceVerification['comparison']>): string[] {
  const differences = modules.flatMap(({ module, differences }) =>
    differences.flatMap(({ declaration, onChain, built }) => [
      `  ${module}: ${declaration}`,
      `    on chain  ${onChain}`,
      `    built     ${built}`,
    ]),
  );
  const shown = differences.slice(0, shownMax * 3);
  return [
    ...missing.map((module) => `  ${module}: on chain, and not in the source`),
    ...extra.map((module) => `  ${module}: in the source, and not on chain`),
    ...shown,
    ...(shown.length < differences.length ? ['  and more: see --json'] : []),
  ];
}
