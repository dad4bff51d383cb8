export { guides } from './resources.ts';
export { marketplaceServer } from './server.ts';
