import type { DemoFile } from '../../services/demo/file.ts';
import { createDemoDir } from './demo-dir.ts';
import { ready, startService, stopService } from './service.ts';

/** The marketplace of the demo, as `npm start` runs it. */
export interface DemoMarketplace {
  demo: DemoFile & { baseUrl: string };
  dataDir: string;
  close(): Promise<void>;
}

/** @param roles by default all @param env settings beyond those of `npm start` */
export async function startDemoMarketplace(
  roles: string[] = [],
  env: Record<string, string> = {},
): Promise<DemoMarketplace> {
  const data = await createDemoDir();
  const service = startService(data.dir, roles, env);
  return {
    demo: await ready(service, data.dir),
    dataDir: data.dir,
    async close() {
      await stopService(service);
      await data.remove();
    },
  };
}
