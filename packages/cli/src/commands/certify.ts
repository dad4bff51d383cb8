import {
  type Certificate,
  Certifier,
  type CertifyTarget,
  type ClaimSentence,
  certificateHash,
  describeCertificate,
  listCallPaths,
  readProgram,
} from '@adaptor-marketplace/adaptor/certify';
import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { nodePackages, PackageUnreadableError } from '@adaptor-marketplace/adaptor/introspect';
import { CommandFailedError, explainNodeError, formatTable, type Io, UsageError } from '../io.ts';
import { chooseNodeUrl, createNodeCommand, type NodeOptions, nodeUrlHelp } from '../network.ts';
import { addExamples, answer, codeArgument, functionArgument } from '../options.ts';
import { compareCertificates } from './compare-certificates.ts';

interface Options extends NodeOptions {
  paths?: boolean;
  compare?: boolean;
}

/** `certify`: computes from bytecode what a function can do. */
export function createCertifyCommand(io: Io) {
  const command = createNodeCommand(
    'certify',
    'Computes from bytecode what a function can take, where it goes, what comes back, what it touches, and who can change\n' +
      'that. Reads the package and all that it calls from a node of your choice; without --compare, no marketplace is asked.\n' +
      'The same code gives the same hash everywhere.',
  )
    .argument('<package>', 'id of the package; with --compare, the service type of a listing', codeArgument)
    .argument(
      '[function]',
      'name, or module::function; without it, the hashes of all callable functions',
      functionArgument,
    )
    .option('--paths', 'show the calls down to the instruction under each sentence')
    .option('--compare', "compare the hashes of all functions that a listing calls with the marketplace's")
    .addHelpText('after', `\nWithout --compare: ${nodeUrlHelp}`)
    .action(async (packageId: string, name: string | undefined, options: Options) => {
      const isListing = packageId.includes('::');
      if (options.compare) {
        if (isListing && name === undefined) return await compareCertificates(io, options, packageId);
        throw new UsageError('--compare needs a service type, as the catalog prints it, and no function.');
      }
      if (isListing)
        throw new UsageError(
          'Give the id of a package, or compare the functions of a listing with --compare.',
        );
      const certifier = new Certifier(await readProgramFromNode(io, options, packageId));
      const targets = certifier.targets.filter(
        ({ module, function: fn }) => name === undefined || name === fn || name === `${module}::${fn}`,
      );
      if (name === undefined) {
        const all = targets.map((target) => certifier.certify(target)).map(toHashed);
        return answer(io, options, all, () => formatHashes(all));
      }
      const certificate = certifier.certify(pickOne(targets, packageId, name));
      const { hash } = toHashed(certificate);
      answer(io, options, { hash, certificate }, () => formatCertificate(hash, certificate, options.paths));
    });
  return addExamples(
    command,
    'certify 0xbfc9... nest_egg::deposit --paths',
    'certify 0xbfc9... --rpc https://fullnode.testnet.sui.io:443 --json',
    'certify 0xbfc9...::nest_egg::NestEgg --compare --rpc https://fullnode.testnet.sui.io:443',
  );
}

async function readProgramFromNode(io: Io, options: Options, packageId: string) {
  const { url, from, token } = await chooseNodeUrl(io, options);
  const client = createChainClient({ url, token });
  try {
    return await readProgram(nodePackages(client), packageId);
  } catch (error) {
    if (!(error instanceof PackageUnreadableError)) throw error;
    if (error.reason === 'absent' || error.reason === 'too_large')
      throw new CommandFailedError(error.message);
    throw new CommandFailedError(
      `The node ${url} (${from}) does not answer: ${explainNodeError(error.message)}.`,
    );
  } finally {
    client.close();
  }
}

function pickOne(targets: readonly CertifyTarget[], packageId: string, name: string): CertifyTarget {
  const [only, ...others] = targets;
  if (only && others.length === 0) return only;
  if (!only) {
    const list = `List them: adaptor-marketplace certify ${packageId}`;
    throw new UsageError(`${packageId} has no function ${name} that a transaction can call. ${list}`);
  }
  const found = targets.map(({ module, function: fn }) => `${module}::${fn}`).join(', ');
  throw new UsageError(`${name} is the name of several functions: ${found}. Give one with its module.`);
}

interface Hashed {
  function: string;
  hash: string;
  /** `false` if some code was not read, so that the certificate excludes nothing. */
  read: boolean;
}

function toHashed(certificate: Certificate): Hashed {
  const { module, function: name, claims } = certificate;
  return {
    function: `${module}::${name}`,
    hash: certificateHash(certificate),
    read: !claims.some(({ kind }) => kind === 'notRead'),
  };
}

const formatHashes = (all: readonly Hashed[]): string[] =>
  all.length === 0
    ? ['No function that a transaction can call.']
    : formatTable(
        ['FUNCTION', 'READ', 'CERTIFICATE'],
        all.map(({ function: name, hash, read }) => [name, read ? 'whole' : 'in part', hash]),
      );

const headings: Record<ClaimSentence['kind'], string> = {
  takes: 'Takes',
  goesTo: 'Goes to',
  comesBack: 'Comes back',
  touches: 'Touches',
  gate: 'Aborts',
  steers: 'Is steered by',
  droppedCheck: 'Ignored checks',
  witnessLeak: 'Witnesses',
  upgrade: 'Upgrades',
  notRead: 'Not read',
};

function formatCertificate(hash: string, certificate: Certificate, paths = false): string[] {
  const { package: pkg, module, function: name, closure } = certificate;
  const { sentences, packages } = describeCertificate(certificate);
  const lines = [
    `function     ${pkg.id}::${module}::${name}`,
    `certificate  ${hash}`,
    `read         ${closure.length} packages, with version ${certificate.analysis} of the analysis`,
    ...packages.map(
      (other) => `${other.name.padEnd(13)}${other.version.id}, version ${other.version.version}`,
    ),
  ];
  let kind: ClaimSentence['kind'] | undefined;
  for (const sentence of sentences) {
    if (sentence.kind !== kind) lines.push('', headings[sentence.kind]);
    kind = sentence.kind;
    lines.push(`  ${sentence.verdict.padEnd(8)}${sentence.text}`);
    if (paths) lines.push(...listPaths(sentence, certificate).map((path) => `            ${path}`));
  }
  return [
    ...lines,
    '',
    'Describes calls that succeed: one that aborts changes nothing, except that gas is paid.',
    'Not covered: arithmetic, prices, economics, future versions. "may" says that the code has such a path, and accuses nobody.',
  ];
}

/** The calls of a sentence's claims, each down to its instruction. */
function listPaths({ claims }: ClaimSentence, { functions }: Certificate): string[] {
  const lines = claims
    .flatMap((claim) => listCallPaths(claim))
    .map((path) => path.map(([fn, offset]) => `${functions[fn]} @ ${offset}`).join(' > '));
  return [...new Set(lines)];
}
