import type { GrpcTypes } from '@mysten/sui/grpc';
import type { RpcMetadata } from '@protobuf-ts/runtime-rpc';
import { LRUCache } from 'lru-cache';
import { type Answer, ask } from './answers.ts';
import { callOptions } from './call-options.ts';
import { normalizeAddress } from './names.ts';
import type { PackageReader } from './witness.ts';

/** The part of a `SuiGrpcClient` that reads which versions a package has. */
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
  /** Whether the node lists versions. One without its index knows the first alone. */
  listed: boolean;
}

/**
 * Which versions the packages of the settings have. A type keeps the id of the version that defined it, so types go by
 * the settings' ids, as first published; calls go to the newest version.
 */
export interface PackageVersions {
  /** Storage id of the newest version, which calls go to. */
  newest(originalId: string): Promise<Answer<string>>;
  /** Storage ids of all versions, first to last. */
  all(originalId: string): Promise<Answer<readonly string[]>>;
  /** Id of the first version of the package that `packageId` is a version of. */
  originalOf(packageId: string): Promise<Answer<string>>;
}

const timeoutMs = 5_000;
/** The most that a node lists at once. */
const pageSize = 10_000;
const pagesMax = 10;
const cachedMax = 1_000;

const heightHeader = 'x-sui-checkpoint-height';

export interface LineageOptions {
  /** The checkpoint that the answer must cover: a node that says it is behind is `unavailable`. */
  asOf?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Reads a package's versions, given the id of any of them. */
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
    if (lacksVersions(answer)) return unlisted(client, packageId, signal);
    if (answer.status !== 'found') return answer;
    const { height, response } = answer.value;
    if (asOf !== undefined && height !== undefined && height < asOf) {
      return { status: 'unavailable', reason: `the node is at checkpoint ${height}, not yet at ${asOf}` };
    }
    versions.push(...response.versions);
    pageToken = response.nextPageToken;
    if (pageToken === undefined || pageToken.length === 0) return lineageOf(packageId, versions);
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

/** A node without the index says NOT_FOUND, as it does of a package that does not exist. */
function lacksVersions(answer: Answer<unknown>): boolean {
  if (answer.status === 'absent') return true;
  return answer.status === 'unavailable' && answer.reason.startsWith('UNIMPLEMENTED');
}

async function unlisted(
  client: VersionReader,
  packageId: string,
  signal: AbortSignal | undefined,
): Promise<Answer<Lineage>> {
  const original = await readOriginal(client, packageId, signal);
  if (original.status !== 'found') return original;
  return { status: 'found', value: { ids: [original.value], listed: false } };
}

function lineageOf(packageId: string, versions: GrpcTypes.PackageVersion[]): Answer<Lineage> {
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

export interface VersionTimes {
  /** Milliseconds; the machine's clock. */
  now?: () => number;
  /** How long an answer stands before the node is asked again, in milliseconds. */
  freshMs?: number;
  /** How soon it is asked again when it did not answer, in milliseconds. */
  retryMs?: number;
}

interface Cached {
  ids: Lineage['ids'];
  /** By `now`. */
  freshUntil: number;
}

/**
 * Versions as a node reports them, cached: concurrent requests share one read, and a node that does not answer
 * leaves what was known. Versions are only ever added, so a node that is behind takes none away.
 */
export function packageVersions(
  client: VersionReader,
  { now = Date.now, freshMs = 60_000, retryMs = 5_000 }: VersionTimes = {},
): PackageVersions {
  const lineages = new LRUCache<string, Cached>({ max: cachedMax });
  const originals = new LRUCache<string, string>({ max: cachedMax });
  const shareLineages = sharing<readonly [string, ...string[]]>();
  const shareOriginals = sharing<string>();

  async function refresh(id: string): Promise<Answer<Lineage['ids']>> {
    const answer = await readLineage(client, id);
    const known = lineages.get(id)?.ids;
    if (answer.status === 'found') {
      const { ids } = answer.value;
      const kept = known && known.length > ids.length ? known : ids;
      lineages.set(id, { ids: kept, freshUntil: now() + freshMs });
      return { status: 'found', value: kept };
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
    async originalOf(packageId) {
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

/** Those who ask for one key at once get one answer. */
function sharing<T>() {
  const reading = new Map<string, Promise<Answer<T>>>();
  return (key: string, read: () => Promise<Answer<T>>): Promise<Answer<T>> => {
    const shared = reading.get(key);
    if (shared) return shared;
    const answer = read().finally(() => reading.delete(key));
    reading.set(key, answer);
    return answer;
  };
}
