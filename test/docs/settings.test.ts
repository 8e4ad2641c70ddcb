import { describe, expect, it } from 'vitest'
import { renderSettings, settingsIn } from '../../scripts/settings-table.ts'
import { listSettings, readSettings } from '../../src/settings/read-settings.ts'
import { SETTINGS } from '../../src/settings/settings.ts'
import { deployed } from '../support/programs/root-file.ts'

describe('the tables of settings in deploy/README.md', () => {
  it('are those that npm run docs:settings writes', async () => {
    expect(settingsIn(deployed('README.md'))).toBe(await renderSettings())
  })

  it('have every setting of serve with its variable and a meaning', () => {
    const text = settingsIn(deployed('README.md'))

    for (const flag of Object.keys(SETTINGS.serve.shape)) {
      const variable = `CAIRN_${flag.toUpperCase().replaceAll('-', '_')}`
      expect(text).toMatch(new RegExp(`\\| \`--${flag}\` +\\| \`${variable}\` +\\| \\S+ +\\| \\w+`))
    }
  })

  it('have defaults that mean the same when they are given', () => {
    const given = listSettings(SETTINGS.serve).flatMap(({ variable, preset }) =>
      preset === null ? [] : [[variable, preset]],
    )

    expect(given.length).toBeGreaterThan(10)
    expect(readSettings(SETTINGS.serve, [], Object.fromEntries(given))).toEqual(
      readSettings(SETTINGS.serve, [], {}),
    )
  })
})
