import { Certifier } from '../../certify.ts';
import { Corpus } from './packages.ts';
import { Statistics } from './statistics.ts';

// `npx node <this file> <folder> [step]` certifies each `step`th package of a folder of modules. It exits with 1 if the
// analysis threw for a package.
const [folder, step = '1'] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('Name the folder that contains the modules: run.ts <folder> [step]');

const corpus = await Corpus.read(folder);
const statistics = new Statistics();
for (const [index, root] of corpus.packages.entries()) {
  if (index % Number(step) !== 0) continue;
  const program = corpus.link(root);
  const before = process.threadCpuUsage();
  try {
    const certifier = new Certifier(program);
    const certificates = certifier.targets.map((target) => certifier.certify(target));
    const { user, system } = process.threadCpuUsage(before);
    statistics.add(certificates, (user + system) / 1000);
  } catch (error) {
    statistics.crashes.push({ id: root.id, error });
  }
}
console.log(statistics.describe());
if (statistics.crashes.length > 0) process.exitCode = 1;
