import { nodePackages } from '@adaptor-marketplace/adaptor/introspect';
import { judgeSource, runBuild } from '@adaptor-marketplace/move-toolchain/verify/anywhere';
import { prepareSource, readZip } from '@adaptor-marketplace/move-toolchain/verify/source';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { loadHost } from './browser-host.ts';
import { type BuildAnswer, type BuildRequest, buildApart } from './build-apart.ts';
import type { RebuildAnswer, RebuildRequest } from './messages.ts';

/** A worker in two roles: the one of the page compares, and starts one for each build. */

const answer = (content: RebuildAnswer | BuildAnswer) => postMessage(content);
const report = (step: string) => answer({ kind: 'step', step });

async function build({ input }: BuildRequest): Promise<void> {
  const host = await loadHost(input.compiler, report);
  answer({ kind: 'ready' });
  answer({ kind: 'built', built: await runBuild(host, input) });
}

async function compare({ nodeUrl, network, packageId, source, folder }: RebuildRequest): Promise<void> {
  const files =
    'zip' in source ? await readZip(new Uint8Array(await source.zip.arrayBuffer())) : source.files;
  const prepared = prepareSource(files, folder);
  report('Reading the bytecode from the node…');
  const { modules } = await nodePackages(new SuiGrpcClient({ network, baseUrl: nodeUrl })).read(packageId);
  answer({
    kind: 'compared',
    verification: await judgeSource(modules.values(), prepared, buildApart(report)),
  });
}

addEventListener('message', async ({ data }: MessageEvent<RebuildRequest | BuildRequest>) => {
  try {
    await ('kind' in data ? build(data) : compare(data));
  } catch (error) {
    answer({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
});
