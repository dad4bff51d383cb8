export {
  compareModules,
  type Difference,
  type ModuleComparison,
  readModule,
  type Verdict,
  verdicts,
} from './module.ts';
export { comparePackages, type PackageComparison } from './package.ts';
