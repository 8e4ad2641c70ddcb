import { describe, expect, it } from 'vitest'
import { checkStructure, readSchemaVersion } from '../../../src/document/structure/structure.ts'
import {
  cruise,
  GIT,
  job,
  messagesOf,
  pipeline,
  problemsOf,
  read,
  task,
} from '../../support/documents/structures.ts'

describe('the schema version', () => {
  it.each([
    ['75', 75],
    ['075', 75],
    [' 75 ', 75],
    ['+75', 75],
    ['1', 1],
    ['139', 139],
  ])('is read from "%s"', (written, version) => {
    const document = read(cruise('', written))

    expect(readSchemaVersion(document.root)).toBe(version)
    expect(checkStructure(document)).toEqual([])
  })

  it.each(['', '0', '140', '-75', '75.0', '0x4b', 'seven', '७५', '9'.repeat(400)])(
    'is not read from "%s"',
    (written) => {
      const document = read(cruise('', written))

      expect(readSchemaVersion(document.root)).toBeNull()
      expect(checkStructure(document)).toMatchObject([
        { message: expect.stringContaining('it must be a schema version from 1 to 139') },
      ])
    },
  )

  it('is required', () => {
    expect(messagesOf('<cruise/>')).toEqual(['cruise needs the attribute "schemaVersion"'])
  })

  it('decides whether what came later may stand', () => {
    const later = pipeline('<materials><git url="u" shallowClone="true"/></materials>')

    expect(messagesOf(cruise(later))).toEqual([
      'attribute "shallowClone" of git does not exist at this schemaVersion',
    ])
    expect(problemsOf(cruise(later, '92'))).toEqual([])
    expect(messagesOf(cruise('<artifactStores/>'))).toEqual([
      'element "artifactStores" in cruise does not exist at this schemaVersion',
    ])
    expect(problemsOf(cruise('<artifactStores/>', '139'))).toEqual([])
  })

  it('decides where the order of children counts', () => {
    expect(problemsOf(cruise('<agents/><server/>', '80'))).toEqual([])
    expect(messagesOf(cruise(pipeline(`${GIT}<timer>t</timer>`), '80'))).toEqual([
      '"timer" must come before "materials"',
    ])
  })

  it.each([
    [16, '<server><license user="u">k</license></server>'],
    [60, '<server><security><luau url="u"><x/></luau></security></server>'],
    [
      16,
      '<environments><environment name="e"><environmentvariables><variable name="v">x</variable></environmentvariables></environment></environments>',
    ],
    [14, task('<exec command=" c "><arg value="a"/></exec>')],
    [4, job('<artifacts><log src="s" dest="d"/></artifacts>')],
    [
      46,
      pipeline('<materials><tfs url="u" username="n" projectPath="p" workspace="w"/></materials>'),
    ],
    [
      13,
      pipeline(
        `${GIT}<stage name="s"><jobs><job name="j"/></jobs><approval type="manual"><auth><user>u</user></auth></approval></stage>`,
      ),
    ],
    [
      139,
      job(
        '<artifacts><artifact type="external" id="a" storeId="s"><configuration><property><key>k</key></property></configuration></artifact></artifacts>',
        'elasticProfileId="x"',
      ),
    ],
    [
      139,
      pipeline(
        '<materials><git url="u" dest=".hidden"/></materials>',
        'labeltemplate="x" lockBehavior="none"',
      ),
    ],
    [
      139,
      '<config-repos><config-repo id="c" pluginId="p"><git url="u"/><rules><allow action="a" type="t">x</allow></rules></config-repo></config-repos>',
    ],
    [
      139,
      '<server><siteUrls><siteUrl/></siteUrls><artifacts><artifactsDir>a</artifactsDir><purgeSettings><purgeStartDiskSpace>1.0</purgeStartDiskSpace></purgeSettings></artifacts></server>',
    ],
  ])('%i has %s', (version, content) => {
    expect(problemsOf(cruise(content, String(version)))).toEqual([])
    expect(problemsOf(cruise(content))).not.toEqual([])
  })
})
