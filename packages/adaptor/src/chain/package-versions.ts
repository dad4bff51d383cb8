import type { GrpcTypes } from '@mysten/sui/grpc';
import type { RpcMetadata } from '@protobuf-ts/runtime-rpc';
import { LRUCache } from 'lru-cache';
import { type Answer, ask } from './answers.ts';
import { callOptions } from './call-options.ts';
import { normalizeAddress } from './names.ts';
import type { PackageReader } from './witness.ts';

/** The part of a `SuiGrpcClient` that reads the versions of a package. */
export interface VersionReader {
  movePackageService: PackageReader['movePackageService'] & {
    listPackageVersions(
      request: GrpcTypes.ListPackageVersionsRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.ListPackageVersionsResponse; headers?: RpcMetadata }>;
  };
}

/** A package's versions as one node knows them. */
export interface Lineage {
  /** Storage ids, first version to last; never empty. */
  ids: readonly [string, ...string[]];
  /** False for a node without the index of versions. It reports only the first one. */
  listed: boolean;
}

/**
 * Versions of the packages in the settings. The settings hold the ids of first versions, which types carry: a type
 * keeps the id of the version that defined it. Calls go to the newest version.
 */
export interface PackageVersions {
  /** Returns the storage id of the newest version, the target of calls. */
  newest(originalId: string): Promise<Answer<string>>;
  /** Returns the storage ids of all versions, first to last. */
  all(originalId: string): Promise<Answer<readonly string[]>>;
  /** Returns the id of the first version of the package that `packageId` is a version of. */
  readOriginalId(packageId: string): Promise<Answer<string>>;
}

const timeoutMs = 5_000;
/** The largest page that a node returns. */
const pageSize = 10_000;
const pagesMax = 10;
const cachedMax = 1_000;

const heightHeader = 'x-sui-checkpoint-height';

/** Options of one read of a package's versions. */
export interface LineageOptions {
  /** Checkpoint that the answer must cover. A node that reports a lower height is `unavailable`. */
  asOf?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Reads a package's versions. `packageId` may be any of them.
 * @returns `unavailable` also if the package has more versions than the bound on pages covers
 */
export async function readLineage(
  client: VersionReader,
  packageId: string,
  { asOf, signal }: LineageOptions = {},
): Promise<Answer<Lineage>> {
  const versions: GrpcTypes.PackageVersion[] = [];
  let pageToken: Uint8Array | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const request = { packageId, pageSize, ...(pageToken && { pageToken }) };
    const answer = await listPage(client, request, signal);
    if (lacksVersions(answer)) return readFirstVersion(client, packageId, signal);
    if (answer.status !== 'found') return answer;
    const { height, response } = answer.value;
    if (asOf !== undefined && height !== undefined && height < asOf) {
      return { status: 'unavailable', reason: `the node is at checkpoint ${height}, not yet at ${asOf}` };
    }
    versions.push(...response.versions);
    pageToken = response.nextPageToken;
    if (pageToken === undefined || pageToken.length === 0) return toLineage(packageId, versions);
  }
  return { status: 'unavailable', reason: `package ${packageId} has more versions than are read` };
}

function listPage(
  { movePackageService }: VersionReader,
  request: GrpcTypes.ListPackageVersionsRequest,
  signal: AbortSignal | undefined,
) {
  const call = movePackageService.listPackageVersions(request, callOptions(timeoutMs, signal));
  return ask(
    (async () => {
      const { response, headers } = await call;
      const height = headers?.[heightHeader];
      return { response: { response, height: height === undefined ? undefined : Number(height) } };
    })(),
  );
}

/**
 * Returns `true` if the node may lack the index. It then says NOT_FOUND, as it does for a package that does not exist.
 */
function lacksVersions(answer: Answer<unknown>): boolean {
  if (answer.status === 'absent') return true;
  return answer.status === 'unavailable' && answer.reason.startsWith('UNIMPLEMENTED');
}

/** The only version that a node without the index of versions reports. */
async function readFirstVersion(
  client: VersionReader,
  packageId: string,
  signal: AbortSignal | undefined,
): Promise<Answer<Lineage>> {
  const original = await readOriginal(client, packageId, signal);
  if (original.status !== 'found') return original;
  return { status: 'found', value: { ids: [original.value], listed: false } };
}

function toLineage(packageId: string, versions: GrpcTypes.PackageVersion[]): Answer<Lineage> {
  const [first, ...later] = versions
    .toSorted((a, b) => Number((a.version ?? 0n) - (b.version ?? 0n)))
    .flatMap(({ packageId: id }) => normalizeAddress(id ?? '') ?? []);
  if (first !== undefined) return { status: 'found', value: { ids: [first, ...later], listed: true } };
  return { status: 'unavailable', reason: `no version is named for package ${packageId}` };
}

async function readOriginal(
  { movePackageService }: VersionReader,
  packageId: string,
  signal?: AbortSignal,
): Promise<Answer<string>> {
  const answer = await ask(movePackageService.getPackage({ packageId }, callOptions(timeoutMs, signal)));
  if (answer.status !== 'found') return answer;
  const originalId = normalizeAddress(answer.value.package?.originalId ?? '');
  if (originalId !== undefined) return { status: 'found', value: originalId };
  return { status: 'unavailable', reason: `no original id is named for package ${packageId}` };
}

/** Clock and lifetimes of a cache of versions. */
export interface VersionTimes {
  /** Clock in milliseconds. Default: one that is never set back. */
  now?: () => number;
  /** Lifetime of a cached answer in milliseconds. Default: 60,000. */
  freshMs?: number;
  /** Delay in milliseconds until the next read after a failed one. Default: 5,000. */
  retryMs?: number;
}

interface CachedLineage {
  ids: Lineage['ids'];
  /** Milliseconds on the clock `now`. */
  freshUntil: number;
}

/**
 * Caches the versions that a node reports. Concurrent requests share one read, and a failed read keeps the cached
 * versions. Versions are only ever added, so a node that is behind cannot remove any.
 */
export function packageVersions(
  client: VersionReader,
  { now = () => performance.now(), freshMs = 60_000, retryMs = 5_000 }: VersionTimes = {},
): PackageVersions {
  const lineages = new LRUCache<string, CachedLineage>({ max: cachedMax });
  const originals = new LRUCache<string, string>({ max: cachedMax });
  const shareLineages = createSharedReads<Lineage['ids']>();
  const shareOriginals = createSharedReads<string>();

  async function refresh(id: string): Promise<Answer<Lineage['ids']>> {
    const answer = await readLineage(client, id);
    const known = lineages.get(id)?.ids;
    if (answer.status === 'found') {
      const { ids } = answer.value;
      const longest = known && known.length > ids.length ? known : ids;
      lineages.set(id, { ids: longest, freshUntil: now() + freshMs });
      return { status: 'found', value: longest };
    }
    if (known === undefined) return answer;
    lineages.set(id, { ids: known, freshUntil: now() + retryMs });
    return { status: 'found', value: known };
  }

  async function all(originalId: string): Promise<Answer<Lineage['ids']>> {
    const id = normalizeAddress(originalId) ?? originalId;
    const cached = lineages.get(id);
    if (cached && now() < cached.freshUntil) return { status: 'found', value: cached.ids };
    return shareLineages(id, () => refresh(id));
  }

  return {
    all,
    async newest(originalId) {
      const answer = await all(originalId);
      if (answer.status !== 'found') return answer;
      return { status: 'found', value: answer.value.at(-1) ?? answer.value[0] };
    },
    async readOriginalId(packageId) {
      const id = normalizeAddress(packageId) ?? packageId;
      const known = originals.get(id);
      if (known !== undefined) return { status: 'found', value: known };
      return shareOriginals(id, async () => {
        const answer = await readOriginal(client, id);
        if (answer.status === 'found') originals.set(id, answer.value);
        return answer;
      });
    },
  };
}

/** Lets concurrent reads of one key share one promise. */
function createSharedReads<T>() {
  const reading = new Map<string, Promise<Answer<T>>>();
  return (key: string, read: () => Promise<Answer<T>>): Promise<Answer<T>> => {
    const shared = reading.get(key);
    if (shared) return shared;
    const answer = read().finally(() => reading.delete(key));
    reading.set(key, answer);
    return answer;
  };
}
