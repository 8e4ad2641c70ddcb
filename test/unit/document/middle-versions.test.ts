import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../src/document/document.ts'
import { unknownIn } from '../../support/documents/unknown-in.ts'
import { cruise, GIT, job, pipeline, STAGE, task } from '../../support/documents/structures.ts'

const NEWEST = 139
const PROPERTY = '<property><key>k</key><value>v</value></property>'
const CONFIGURATION = `<configuration>${PROPERTY}</configuration>`
const IGNORE = '<filter><ignore pattern="a" /></filter>'

function configRepo(content: string, attributes = 'plugin="json"'): string {
  return `<config-repos><config-repo ${attributes}>${content}</config-repo></config-repos>`
}

function withMaterials(materials: string): string {
  return pipeline(`<materials>${materials}</materials>${STAGE}`)
}

/** A task of a second stage, which may fetch from the first. */
function second(inner: string): string {
  return task(inner).replace('<stage name="s">', `${STAGE}<stage name="t">`)
}

const SCM = `<scms><scm id="i" name="n"><pluginConfiguration id="p" version="1" />${CONFIGURATION}</scm></scms>`

/**
 * Constructs of schemas between the one that is known exactly and the newest, each with its
 * versions.
 */
const CONSTRUCTS: readonly [from: number, to: number, content: string][] = [
  [76, 94, configRepo('<git url="u" />')],
  [76, 94, configRepo(`<git url="u" />${CONFIGURATION}`, '')],
  [76, 98, configRepo(`<git url="u" branch="b" dest="d">${IGNORE}</git>`)],
  [76, 98, configRepo(`<svn url="u" dest="d" checkexternals="true">${IGNORE}</svn>`)],
  [76, 98, configRepo(`<hg url="u" dest="d">${IGNORE}</hg>`)],
  [76, 98, configRepo(`<p4 port="h:1" dest="d"><view>v</view>${IGNORE}</p4>`)],
  [76, 98, configRepo(`<tfs url="u" username="n" projectPath="p" dest="d">${IGNORE}</tfs>`)],
  [76, 98, `${SCM}${configRepo(`<scm ref="i" dest="d">${IGNORE}</scm>`)}`],
  [76, 114, configRepo('<git url="u" materialName="m" />')],
  [76, 114, configRepo('<svn url="u" materialName="m" />')],
  [76, 114, configRepo('<hg url="u" materialName="m" />')],
  [76, 114, configRepo('<p4 port="h:1" materialName="m"><view>v</view></p4>')],
  [76, 114, configRepo('<tfs url="u" username="n" projectPath="p" materialName="m" />')],
  [79, 86, job(`<agentConfig pluginId="docker">${PROPERTY}</agentConfig>`)],
  [79, 86, job('<agentConfig pluginId="docker" />')],
  [80, 98, configRepo('<git url="u" shallowClone="true" />')],
  [81, 98, configRepo('<git url="u" dest=".hidden" />')],
  [82, 98, configRepo('<git url="u" invertFilter="true" />')],
  [82, 98, configRepo('<svn url="u" invertFilter="true" />')],
  [82, 98, configRepo('<hg url="u" invertFilter="true" />')],
  [82, 98, configRepo('<p4 port="h:1" invertFilter="true"><view>v</view></p4>')],
  [82, 98, configRepo('<tfs url="u" username="n" projectPath="p" invertFilter="true" />')],
  [
    83,
    127,
    '<agents><agent hostname="h" ipaddress="10.0.0.1" uuid="u" elasticAgentId="e" elasticPluginId="docker" /></agents>',
  ],
  [84, 100, '<server><elastic jobStarvationTimeout="10" /></server>'],
  [
    87,
    100,
    `<server><elastic><profiles><profile id="d" pluginId="docker">${PROPERTY}</profile></profiles></elastic></server>`,
  ],
  [
    88,
    NEWEST,
    `<server><security><authConfigs><authConfig id="a" pluginId="p">${PROPERTY}</authConfig></authConfigs><roles><pluginRole name="r" authConfigId="a" /></roles></security></server>`,
  ],
  [93, NEWEST, '<server webhookSecret="w" />'],
  [94, 94, configRepo('<git url="u" />', 'plugin="json" id="i"')],
  [95, NEWEST, configRepo('<git url="u" />', 'pluginId="json" id="i"')],
  [
    101,
    117,
    `<elastic jobStarvationTimeout="10"><profiles><profile id="d" pluginId="docker">${PROPERTY}</profile></profiles></elastic>`,
  ],
  [
    102,
    NEWEST,
    `<artifactStores><artifactStore id="a" pluginId="p">${PROPERTY}</artifactStore></artifactStores>`,
  ],
  [
    102,
    105,
    job(
      `<artifacts><pluggableArtifact id="a" storeId="s">${PROPERTY}</pluggableArtifact></artifacts>`,
    ),
  ],
  [
    102,
    105,
    job('<artifacts><pluggableArtifact id="a" storeId="s" /><test src="t" /></artifacts>'),
  ],
  [
    104,
    106,
    second(
      `<fetchPluggableArtifact stage="s" job="j" artifactId="a">${CONFIGURATION}<runif status="any" /></fetchPluggableArtifact>`,
    ),
  ],
  [
    104,
    106,
    second(
      '<fetchPluggableArtifact pipeline="p" stage="s" job="j" artifactId="a" workingdir="w" />',
    ),
  ],
  [
    104,
    106,
    second(
      '<exec command="c"><oncancel><fetchPluggableArtifact stage="s" job="j" artifactId="a" /></oncancel></exec>',
    ),
  ],
  [
    106,
    107,
    job(
      `<artifacts><artifact id="a" storeId="s" type="external">${PROPERTY}</artifact></artifacts>`,
    ),
  ],
  [107, 110, second('<fetchartifact stage="s" job="j" srcfile="f" origin="gocd" />')],
  [
    107,
    110,
    second(
      `<fetchartifact stage="s" job="j" artifactId="a" origin="external">${CONFIGURATION}</fetchartifact>`,
    ),
  ],
  [112, NEWEST, '<server><backup schedule="0 0 2 * * ?" emailOnSuccess="true" /></server>'],
  [
    114,
    NEWEST,
    pipeline(
      `${GIT}<stage name="s"><jobs><job name="j" /></jobs></stage>`,
      'labeltemplate="${COUNT} of ${env:X}"',
    ),
  ],
  [
    117,
    117,
    '<elastic><profiles><profile id="d" pluginId="docker" /></profiles><clusterProfiles><clusterProfile id="c" pluginId="docker" /></clusterProfiles></elastic>',
  ],
  [
    118,
    119,
    '<elastic><clusterProfiles><clusterProfile id="c" pluginId="docker" /></clusterProfiles><profiles><profile id="d" pluginId="docker" clusterProfileId="c" /></profiles></elastic>',
  ],
  [
    120,
    121,
    `<elastic><agentProfiles><agentProfile id="d" pluginId="docker" clusterProfileId="c">${PROPERTY}</agentProfile></agentProfiles></elastic>`,
  ],
  [121, NEWEST, configRepo('<hg url="u" username="n" password="w" />', 'id="i" pluginId="p"')],
  [
    134,
    NEWEST,
    '<server><security><roles><role name="r"><policy><allow action="view" type="all">*</allow></policy></role></roles></security></server>',
  ],
]

function readAt(version: number, content: string) {
  return readDocument(new TextEncoder().encode(cruise(content, String(version))))
}

describe('a construct of the versions between', () => {
  it.each(CONSTRUCTS)('%i to %i have %s', (from, to, content) => {
    for (let version = from; version <= to; version += 1) {
      const reading = readAt(version, content)

      expect({ version, reading }).toMatchObject({ reading: { ok: true } })
      expect({ version, unknown: unknownIn(reading) }).toMatchObject({ unknown: [] })
    }
    expect(readAt(75, content)).toMatchObject({ ok: false })
  })
})

describe('what no schema knows', () => {
  it.each([
    [withMaterials('<git url="u" mirror="m" />'), 'attribute mirror of git'],
    [withMaterials('<git url="u"><hook /></git>'), 'element hook of git'],
    [withMaterials('<fossil url="u" />'), 'element fossil of materials'],
    [task('<exec command="c" shell="sh" />'), 'attribute shell of exec'],
    [task('<exec command="c"><env name="n">v</env></exec>'), 'element env of exec'],
    [task('<gradle target="t" />'), 'element gradle of tasks'],
    [
      task('<exec command="c"><oncancel><gradle /></oncancel></exec>'),
      'element gradle of oncancel',
    ],
    [
      task(`<task><pluginConfiguration id="p" version="1" since="2" />${CONFIGURATION}</task>`),
      'attribute since of pluginConfiguration',
    ],
    [
      job('<artifacts><artifact type="external" id="a" storeId="s" keep="1" /></artifacts>'),
      'attribute keep of artifact',
    ],
    [
      '<elastic><agentProfiles><agentProfile id="a" clusterProfileId="c" max="1" /></agentProfiles></elastic>',
      'attribute max of agentProfile',
    ],
    [configRepo('<git url="u" lfs="true" />', 'id="i" pluginId="p"'), 'attribute lfs of git'],
    [
      `<artifactStores><artifactStore id="a" pluginId="p"><extra />${PROPERTY}</artifactStore></artifactStores>`,
      'element extra of artifactStore',
    ],
  ])('is kept from 76 on in %s', (content, part) => {
    const reading = readAt(76, content)

    expect(reading).toMatchObject({ ok: true })
    expect(unknownIn(reading)).toEqual([part])
    expect(readAt(75, content)).toMatchObject({ ok: false })
    expect(readAt(74, content)).toMatchObject({ ok: false })
  })

  it.each([
    pipeline(`${GIT}${STAGE}`, 'colour="red"'),
    pipeline(`${GIT}<stage name="s" colour="red"><jobs><job name="j" /></jobs></stage>`),
    job('<colour />'),
    '<server colour="red" />',
    '<colours />',
    '<environments><environment name="e" colour="red" /></environments>',
  ])('is refused at any version in %s', (content) => {
    expect(readAt(NEWEST, content)).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('colour') }],
    })
  })
})
