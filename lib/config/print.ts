/** `npm run config`: every setting, its value in force and its meaning. */
import { messageOf } from '../errors/index.ts';
import { environment } from './environment.ts';
import { describeSettings } from './index.ts';

try {
  const settings = describeSettings(environment());
  const width = Math.max(...settings.map(({ name }) => name.length));
  const line = ({ name, value, meaning }: (typeof settings)[number]) =>
    `${name.padEnd(width)} = ${value}\n${' '.repeat(width)}   ${meaning}\n`;
  process.stdout.write(settings.map(line).join(''));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
