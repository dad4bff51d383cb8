import { hostileAdaptors } from './list.ts';

// Prints the Move source of a hostile adaptor, or of its twin: `npx node <this file> <name> [honest]`. Lists all without a name.
const [name, variant] = process.argv.slice(2);
const adaptor = hostileAdaptors.find((each) => each.name === name);
if (adaptor) {
  const sources = adaptor.write(adaptor.name, variant === 'honest' ? 'honest' : 'hostile');
  console.log(Object.values(sources).join('\n'));
} else for (const { name: each, plant } of hostileAdaptors) console.log(`${each}: ${plant}`);
