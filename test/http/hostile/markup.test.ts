import { describe, expect, it } from 'vitest'
import { aConfiguration, element, git } from '../../support/documents/a-configuration.ts'
import { DescribedApi } from '../../support/service/described-api.ts'
import { save } from '../../support/service/saving.ts'
import { startService } from '../../support/service/service.ts'

const MARKUP = `"'><script>alert(1)</script><img src=x onerror=alert(2)>`
const LINK = 'javascript:alert(3)'

/** A configuration with markup wherever it takes any text. */
function document(extra: string): string {
  return aConfiguration({
    pipelines: [
      {
        name: 'p',
        variables: { [`V${extra}`]: MARKUP },
        before: [element('trackingtool', { link: `${LINK}\${ID}`, regex: MARKUP })],
        materials: [git(LINK, { dest: 'a' }), git(`http://x/${MARKUP}`, { dest: 'b' })],
        stages: [
          {
            name: 's',
            variables: { A: MARKUP },
            jobs: [
              {
                name: 'j',
                tabs: [element('tab', { name: 'T', path: MARKUP.replaceAll(' ', '/') })],
              },
            ],
          },
        ],
      },
    ],
  })
}

const SAVED = '{"message":"The configuration is saved"}'

function saidBy(response: Response): Promise<string> {
  return response.text()
}

describe('markup in the configuration', () => {
  it(
    'is text on every page, and every page forbids scripts that are not its own',
    { timeout: 60_000 },
    async () => {
      const service = await startService()
      const answers = [await save(service, document('')), await save(service, document('2'))]
      const { operations } = await DescribedApi.read(service)
      const values = new Map([
        ['name', ['r2', 'current', 'p', LINK, MARKUP]],
        ['from', ['r1', MARKUP]],
        ['to', ['r3', MARKUP]],
      ])
      const pages = operations.filter((one) => one.method === 'get' && one['x-page'] === true)
      const paths = pages.flatMap(({ path }) =>
        [0, 1, 2, 3, 4].map((n) =>
          path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
            encodeURIComponent(values.get(name)?.[n] ?? values.get(name)?.[0] ?? MARKUP),
          ),
        ),
      )
      const queries = ['', `?q=${encodeURIComponent(MARKUP)}&user=${encodeURIComponent(MARKUP)}`]

      let seen = 0
      const unsafe: string[] = []
      for (const path of new Set(
        paths.flatMap((each) => queries.map((query) => `${each}${query}`)),
      )) {
        const response = await service.fetch(path)
        const text = await response.text()
        if (response.status === 200) seen += 1
        const isPage = (response.headers.get('content-type') ?? '').startsWith('text/html')
        const policy = response.headers.get('content-security-policy') ?? ''
        if (isPage && !policy.includes("script-src 'self'")) unsafe.push(`${path}: no policy`)
        if (isPage && /<script>alert|<img src=x|href="javascript:/i.test(text)) unsafe.push(path)
        if (response.status >= 500) unsafe.push(`${path}: ${response.status}`)
      }

      expect(await Promise.all(answers.map(saidBy))).toEqual([SAVED, SAVED])
      expect(unsafe).toEqual([])
      expect(seen).toBeGreaterThan(8)
    },
  )
})
