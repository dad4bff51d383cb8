import type { Pool } from 'pg';

/**
 * The pool, except that it loses the answer to the next statement that contains `text`, after the server has committed
 * it. `text` must begin a word: `commit` does not match `synchronous_commit`.
 */
export function losing(pool: Pool, text: string): Pool {
  const held = new RegExp(`(?<!\\w)${RegExp.escape(text)}`);
  let left = 1;
  const lose = <T>(query: unknown, answer: T): T => {
    const said = typeof query === 'string' ? query : (query as { text: string }).text;
    if (left === 0 || !held.test(said)) return answer;
    left -= 1;
    throw new Error('Connection terminated unexpectedly');
  };
  const wrap = <C extends object>(target: C): C =>
    new Proxy(target, {
      get(from, name) {
        const value = Reflect.get(from, name);
        if (name === 'connect') return async () => wrap(await (from as unknown as Pool).connect());
        if (name === 'query') {
          return async (...args: [string]) => lose(args[0], await (from as unknown as Pool).query(...args));
        }
        return typeof value === 'function' ? value.bind(from) : value;
      },
    });
  return wrap(pool);
}
