import { mkdir, readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { networks } from '@adaptor-marketplace/adaptor';
import { replaceFile } from '@adaptor-marketplace/process';
import type { Command } from 'commander';
import { z } from 'zod';
import {
  CommandFailedError,
  describeIssue,
  explainFileError,
  formatJson,
  type Io,
  parseJson,
  UsageError,
} from './io.ts';

// Not the `conf` package: it validates with a second schema language, and its errors do not name the file.

/** A marketplace with its network and node, under a name that the user chose. It has no field for a secret. */
const profile = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  network: z.enum(networks).optional(),
  rpc: z.url({ protocol: /^https?$/ }).optional(),
});
const profilesFile = z.strictObject({
  /** The default profile, used if nothing else names a marketplace. */
  current: z.string().optional(),
  profiles: z.record(z.string(), profile),
});
export type Profile = z.infer<typeof profile>;
type Profiles = z.infer<typeof profilesFile>;

const bytesMax = 100_000;

/** The file is below XDG_CONFIG_HOME if that is an absolute path, else below `.config` of the home folder. */
function locateProfilesFile({ env }: Pick<Io, 'env'>): string | undefined {
  const { XDG_CONFIG_HOME: config = '', HOME: home, APPDATA: windows } = env;
  const folder = isAbsolute(config) ? config : home ? join(home, '.config') : windows;
  return folder && join(folder, 'adaptor-marketplace', 'profiles.json');
}

/**
 * Reads all profiles. Without a file there are none.
 * @throws CommandFailedError that names a file that is not valid
 */
export async function readProfiles(io: Pick<Io, 'env'>): Promise<Profiles> {
  const file = locateProfilesFile(io);
  if (file === undefined) return { profiles: {} };
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new CommandFailedError(explainFileError(file, error));
  });
  if (text === undefined) return { profiles: {} };
  const read = text.length > bytesMax ? undefined : profilesFile.safeParse(parseJson(text));
  if (read?.success) return read.data;
  const reason = read ? describeIssue(read.error) : `it exceeds ${bytesMax} bytes`;
  throw new CommandFailedError(`${file} is not a valid file of profiles (${reason}). Fix it, or remove it.`);
}

export async function writeProfiles(io: Pick<Io, 'env'>, profiles: Profiles): Promise<void> {
  const file = locateProfilesFile(io);
  if (file === undefined) throw new UsageError('No folder for settings: set XDG_CONFIG_HOME or HOME.');
  try {
    await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
    await replaceFile(file, `${formatJson(profiles)}\n`, 0o600);
  } catch (error) {
    throw new CommandFailedError(explainFileError(file, error));
  }
}

/**
 * Fills in the marketplace, network and node from a profile, unless options set them. The profile is that of --profile.
 * Without it, and unless --url or MARKETPLACE_URL names a marketplace, it is that of MARKETPLACE_PROFILE, or else the
 * current one.
 * @throws UsageError for a profile that does not exist
 */
export async function applyProfile(io: Io, command: Command): Promise<void> {
  if (!command.options.some((option) => option.attributeName() === 'profile')) return;
  const { profile: named, url } = command.opts<{ profile?: string; url?: string }>();
  if (named === undefined && (url !== undefined || io.env.MARKETPLACE_URL)) return;
  const chosen = named ?? (io.env.MARKETPLACE_PROFILE || undefined);
  const { current, profiles } = await readProfiles(io);
  const name = chosen ?? current;
  if (name === undefined) return;
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (!found) throw new UsageError(describeUnknownProfile(name, profiles));
  for (const [option, value] of Object.entries(found)) {
    if (command.getOptionValue(option) !== undefined) continue;
    if (option === 'rpc') command.setOptionValue('rpcFrom', `profile ${name}`);
    command.setOptionValueWithSource(option, value, 'config');
  }
}

export function describeUnknownProfile(name: string, profiles: Profiles['profiles']): string {
  const known = Object.keys(profiles).join(', ') || 'none';
  return `There is no profile ${name}. Profiles: ${known}. Create it: adaptor-marketplace profile add ${name} --url <url>`;
}
