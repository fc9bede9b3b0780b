import { describe, expect, test } from 'vitest';
import { createSessions } from '../../../../apps/edge-example/src/sessions.ts';

const { begin, identify } = createSessions('a long random text');
const at = (url: string, cookie = '') => new Request(url, { headers: { cookie } });

describe.each([
  ['https://desk.example/', '__Host-desk=', '; Path=/; HttpOnly; SameSite=Lax; Secure'],
  // behind a proxy that ends TLS
  ['http://desk.example/', '__Host-desk=', '; Path=/; HttpOnly; SameSite=Lax; Secure'],
  ['http://localhost:4175/', 'desk=', '; Path=/; HttpOnly; SameSite=Lax'],
])('a session at %s', (url, name, attributes) => {
  test('is created once, and its cookie is found among others', async () => {
    const set = (await begin(at(url))) ?? '';
    const [cookie = ''] = set.split(';');
    expect(set).toBe(`${cookie}${attributes}`);
    expect(cookie.startsWith(name)).toBe(true);
    const subject = cookie.slice(name.length).split('.')[0];
    expect(await identify(at(url, `other=1; ${cookie}; more=2`))).toEqual({ subject });
    expect(await begin(at(url, cookie))).toBe(undefined);
  });

  test('belongs to one visitor and one secret', async () => {
    const fresh = async (sessions = createSessions('a long random text')): Promise<string> =>
      (await sessions.begin(at(url)))!.split(';')[0]!;
    const [one, other] = [await fresh(), await fresh()];
    const foreign = await fresh(createSessions('another text'));
    const mixed = `${one.split('.')[0]}.${other.split('.')[1]}`;
    const cookies = [mixed, foreign, `${one}0`, `x${one}`, one.toUpperCase(), ''];
    expect(await Promise.all(cookies.map((cookie) => identify(at(url, cookie))))).toEqual(
      cookies.map(() => null),
    );
  });
});

test('a session cookie of another host of the domain is not a session', async () => {
  const own = (await begin(at('https://desk.example/')))!.split(';')[0]!;
  // what any host can set, where only this one can set a name with the prefix
  const planted = own.replace('__Host-', '');
  expect(await identify(at('https://desk.example/', planted))).toBe(null);
  expect(await identify(at('https://desk.example/', `${planted}; ${own}`))).not.toBe(null);
});
