export { compareModules, type Difference, type ModuleComparison, type Verdict, verdicts } from './module.ts';
export { comparePackages, type PackageComparison } from './package.ts';
