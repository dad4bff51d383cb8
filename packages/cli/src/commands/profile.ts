import { Command } from 'commander';
import { CommandFailedError, formatTable, type Io, UsageError } from '../io.ts';
import {
  addExamples,
  answer,
  baseArgument,
  networkOption,
  originArgument,
  profileNameArgument,
} from '../options.ts';
import { describeUnknownProfile, type Profile, readProfiles, writeProfiles } from '../profiles.ts';

interface Options {
  json?: boolean;
}

/** `profile`: names marketplaces with their network and node. */
export function createProfileCommand(io: Io) {
  const command = new Command('profile').description(
    'Names marketplaces, each with its network and node, so that you need not type their urls.',
  );
  for (const create of [createAddCommand, createListCommand, createUseCommand, createRemoveCommand])
    command.addCommand(create(io));
  command.addHelpText(
    'after',
    '\nA command uses the profile of --profile. Without it, and unless --url or MARKETPLACE_URL names a marketplace, it\n' +
      'uses that of MARKETPLACE_PROFILE, else the one that "profile use" chose. Profiles hold no keys.',
  );
  return addExamples(
    command,
    'profile add main --url https://market.example --network mainnet',
    'profile use main',
    'catalog --profile main',
  );
}

const json = ['--json', 'print the result as JSON, and errors as problem+json'] as const;

function createAddCommand(io: Io) {
  return new Command('add')
    .description('Adds a profile, or replaces the one of this name.')
    .argument('<name>', 'its name', profileNameArgument)
    .requiredOption('--url <url>', 'url of the marketplace', baseArgument)
    .addOption(networkOption())
    .option('--rpc <url>', 'url of the node', originArgument)
    .option(...json)
    .action(async (name: string, { json, ...profile }: Profile & Options) => {
      if (name === 'none')
        throw new UsageError('none: "profile use none" uses no profile. Choose another name.');
      const { current, profiles } = await readProfiles(io);
      await writeProfiles(io, { ...(current && { current }), profiles: { ...profiles, [name]: profile } });
      answer(io, { ...(json && { json }) }, { name, ...profile }, () => [`added  ${name}, ${profile.url}`]);
    });
}

function createListCommand(io: Io) {
  return new Command('list')
    .description('Lists the profiles. * marks the one that "profile use" chose.')
    .option(...json)
    .action(async (options: Options) => {
      const { current, profiles } = await readProfiles(io);
      const listed = Object.entries(profiles).map(([name, profile]) => ({ name, ...profile }));
      const rows = listed.map(({ name, url, network = '-', rpc = '-' }) => [
        name === current ? `${name} *` : name,
        url,
        network,
        rpc,
      ]);
      answer(io, options, { current: current ?? null, profiles: listed }, () =>
        rows.length === 0
          ? ['no profiles']
          : formatTable(['NAME', 'MARKETPLACE', 'NETWORK', 'NODE'], rows, io.columns),
      );
    });
}

function createUseCommand(io: Io) {
  return new Command('use')
    .description('Chooses the profile for commands that name none.')
    .argument('<name>', 'its name, or none', profileNameArgument)
    .option(...json)
    .action(async (name: string, options: Options) => {
      const { profiles } = await readProfiles(io);
      if (name !== 'none' && !Object.hasOwn(profiles, name))
        throw new CommandFailedError(describeUnknownProfile(name, profiles));
      await writeProfiles(io, name === 'none' ? { profiles } : { current: name, profiles });
      answer(io, options, { current: name === 'none' ? null : name }, () => [`uses  ${name}`]);
    });
}

function createRemoveCommand(io: Io) {
  return new Command('remove')
    .description('Removes a profile.')
    .argument('<name>', 'its name', profileNameArgument)
    .option(...json)
    .action(async (name: string, options: Options) => {
      const { current, profiles } = await readProfiles(io);
      if (!Object.hasOwn(profiles, name))
        throw new CommandFailedError(describeUnknownProfile(name, profiles));
      const { [name]: _removed, ...rest } = profiles;
      await writeProfiles(io, { ...(current && current !== name && { current }), profiles: rest });
      answer(io, options, { removed: name }, () => [`removed  ${name}`]);
    });
}
