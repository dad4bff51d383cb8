/** `npm run config`: every setting, its value in force and its meaning. */
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { describeSettings } from './describe.ts';
import { environment, listEnvironmentFiles, loadConfig } from './index.ts';

try {
  const env = environment();
  for (const warning of loadConfig(env, listEnvironmentFiles()).warnings)
    process.stderr.write(`${warning}\n`);
  const settings = describeSettings(env);
  const width = Math.max(...settings.map(({ name }) => name.length));
  const line = ({ name, value, meaning }: (typeof settings)[number]) =>
    `${name.padEnd(width)} = ${value}\n${' '.repeat(width)}   ${meaning}\n`;
  process.stdout.write(settings.map(line).join(''));
} catch (error) {
  process.stderr.write(`${getErrorMessage(error)}\n`);
  process.exitCode = 1;
}
