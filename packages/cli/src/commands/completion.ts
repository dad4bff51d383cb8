import { Argument, Command } from 'commander';
import { buildCompletionScript, listCompletions, type Shell, shells } from '../completion.ts';
import type { Io } from '../io.ts';
import { addExamples, answer } from '../options.ts';

/**
 * `completion`: prints the script with which a shell completes commands and options.
 * @param loadCommands creates all commands, this one too
 */
export function createCompletionCommand(io: Io, loadCommands: () => Promise<Command[]>) {
  const command = new Command('completion')
    .description('Prints a script with which your shell completes commands, options and their choices.')
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .option('--json', 'print the script in a JSON document, and errors as problem+json')
    .action(async (shell: Shell, options: { json?: boolean }) => {
      const script = buildCompletionScript(shell, listCompletions(await loadCommands()));
      answer(io, options, { shell, script }, () => script.trimEnd().split('\n'));
    });
  return addExamples(
    command,
    'completion bash > ~/.local/share/bash-completion/completions/adaptor-marketplace',
    'completion zsh > ~/.zfunc/_adaptor-marketplace',
    'completion fish > ~/.config/fish/completions/adaptor-marketplace.fish',
  );
}
