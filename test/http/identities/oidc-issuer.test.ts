import { describe, expect, it } from 'vitest'
import { HostileProvider } from '../../support/identities/hostile-provider.ts'
import { flagsFor, PeopleProvider } from '../../support/identities/people-provider.ts'
import { sourceSeen } from '../../support/identities/user-sources.ts'
import { WalkingBrowser } from '../../support/identities/walking-browser.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { openService, startService } from '../../support/service/service.ts'

/** A service with a provider, and what people and operators see after a log-in by that. */
async function worldWith(issuer: string, clock = Date.now) {
  const service = await openService(flagsFor(issuer), tempDir(), { clock })
  return {
    async logIn() {
      const page = await new WalkingBrowser(service).go('/login/oidc')
      return { page, ...(await sourceSeen(service, 'oidc')) }
    },
  }
}

describe('an issuer that is not the name of the provider', () => {
  it('is told with both where they differ by a slash', async () => {
    const { issuer } = await HostileProvider.start('/realms/x')
    const world = await worldWith(`${issuer}/`)

    const { page, problems, isUp } = await world.logIn()

    const told = `names itself ${issuer}, but --oidc-issuer is ${issuer}/: both must be the same`
    expect(page.status).toBe(503)
    expect(page.text).toContain(`The OpenID Connect provider ${told}.`)
    expect(page.text).not.toContain('try again later')
    expect(problems).toEqual([expect.stringContaining(told)])
    expect(problems[0]).toMatch(/^The OpenID Connect provider 127\.0\.0\.1:\d+ has let nobody in/)
    expect(isUp).toBe(0)
  })

  it('is told where no provider describes itself, apart from one that is away later', async () => {
    let later = 0
    // A service that listens replaces the global Response of its process.
    await startService()
    const provider = await PeopleProvider.start()
    const issuer = `${provider.issuer}/realms/x`
    const world = await worldWith(issuer, () => Date.now() + later)

    const wrong = await world.logIn()
    later = 60_000
    provider.goAway()
    const away = await world.logIn()

    const told = `--oidc-issuer is ${issuer}, but the answer there is not that of an OpenID Connect provider (status 404)`
    expect(wrong.page.text).toContain(`${told}.`)
    expect(wrong.problems).toEqual([expect.stringContaining(told)])
    expect(away.page.text).toContain('cannot be reached now: try again later')
    expect(away.problems).toEqual([
      expect.stringMatching(/ has not answered since (\S+), and was last asked at \1: .* can$/),
    ])
  })
})
