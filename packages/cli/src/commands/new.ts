import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { CommandFailedError, explainFileError, type Io, UsageError } from '../io.ts';
import { addExamples, answer } from '../options.ts';

const program = join(import.meta.dirname, '../..');
const template = join(program, 'template');

/** `new`: makes the folder of a new adaptor from the template. */
export function createNewCommand(io: Io) {
  const command = new Command('new')
    .description(
      'Makes a folder with a new adaptor: a Move package, its tests, what its listing says, and CI.',
    )
    .argument('<name>', 'name of the Move package and of its folder, for example my_adaptor', nameArgument)
    .option('--json', 'print the result as JSON, and errors as problem+json')
    .action(async (name: string, options: { json?: boolean }) => {
      const files = await writeProject(name);
      answer(io, options, { folder: name, files }, () => [
        ...files.map((file) => `created  ${join(name, file)}`),
        '',
        'Next, with a marketplace (npm start runs one here):',
        '  npx adaptor-marketplace new-key my.key',
        '  npx adaptor-marketplace fund --key-file my.key',
        `  npx adaptor-marketplace publish ${name} --key-file my.key`,
        `  npx adaptor-marketplace register ${name} --key-file my.key`,
      ]);
    });
  return addExamples(command, 'new my_adaptor');
}

/** Words that Move or the packages of every adaptor use. */
const reserved = new Set(
  [
    'abort acquires address as bool break const continue copy else enum false for friend fun has if invariant',
    'let loop match module move mut native phantom public return script spec std struct sui sui_system true use',
    'u8 u16 u32 u64 u128 u256 vector wallet while',
  ]
    .join(' ')
    .split(' '),
);

function nameArgument(text: string): string {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(text) || text.length > 50) {
    throw new InvalidArgumentError(
      'Expected at most 50 lower-case letters, digits and single underscores, for example my_adaptor.',
    );
  }
  if (reserved.has(text))
    throw new InvalidArgumentError('This word is reserved. Expected another, for example my_adaptor.');
  return text;
}

/**
 * Writes the files of a project into a new folder.
 * @returns their paths in the folder
 * @throws UsageError if the folder exists already, and is not empty
 */
async function writeProject(name: string): Promise<string[]> {
  const existing = await readdir(name).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new UsageError(explainFileError(name, error));
  });
  if (existing.length > 0)
    throw new UsageError(`${name} is not empty. Choose another name, or delete the folder.`);
  const { version, repository } = JSON.parse(await readFile(join(program, 'package.json'), 'utf8'));
  const words = name.split('_');
  const capitalized = words.map((word) => word[0]!.toUpperCase() + word.slice(1));
  const values: Record<string, string> = {
    name,
    version,
    Witness: capitalized.join(''),
    title: [capitalized[0], ...words.slice(1)].join(' '),
    repository: repository.url.replace(/^git\+/, ''),
  };
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(template, join(entry.parentPath, entry.name)))
    .sort();
  const files: string[] = [];
  for (const path of paths) {
    const text = await readFile(join(template, path), 'utf8');
    const file = renameTemplateFile(path, name);
    await writeNewFile(
      join(name, file),
      text.replace(/\{\{(\w+)\}\}/g, (_, key: string) => values[key]!),
    );
    files.push(file.split(sep).join('/'));
  }
  return files;
}

/** Returns the name in the project of a file of the template. npm does not publish a file that is named .gitignore. */
function renameTemplateFile(path: string, name: string): string {
  const file = basename(path);
  if (file === 'gitignore') return join(dirname(path), '.gitignore');
  return file.endsWith('.move') ? join(dirname(path), file.replace('adaptor', name)) : path;
}

async function writeNewFile(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    throw new CommandFailedError(explainFileError(file, error));
  }
}
