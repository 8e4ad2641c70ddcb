import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../src/document/document.ts'
import { expandConfiguration } from '../../../src/document/effective/effective.ts'
import { UnsupportedParts } from '../../../src/document/unsupported/unsupported-parts.ts'
import { runSync } from '../../../src/lib/cooperative.ts'
import { cruise, GIT, job, pipeline, STAGE, task } from '../../support/documents/structures.ts'

const PROPERTY = '<property><key>k</key><value>v</value></property>'
const CONFIGURATION = `<configuration>${PROPERTY}</configuration>`
const PLUGIN = `<pluginConfiguration id="p" version="1" />${CONFIGURATION}`
const SECRET = '{{SECRET:[vault][token]}}'
const SCRIPT = `<pluginConfiguration id="script-executor" version="1" /><configuration><property><key>script</key><value>${SECRET}</value></property></configuration>`
const ELASTIC =
  '<elastic><agentProfiles><agentProfile id="e" clusterProfileId="c" /></agentProfiles></elastic>'

function withMaterials(materials: string): string {
  return pipeline(`<materials>${materials}</materials>${STAGE}`)
}

function agent(attributes: string, resource: string): string {
  const inner = `<resources><resource>${resource}</resource></resources>`
  return `<agents><agent hostname="h" ipaddress="10.0.0.1" uuid="u" ${attributes}>${inner}</agent></agents>`
}

function partsOf(content: string, version = 139): string[] {
  const reading = readDocument(new TextEncoder().encode(cruise(content, String(version))))
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems))
  const { configuration } = runSync(expandConfiguration(reading.document.configuration))
  const parts = new UnsupportedParts((sealed) => (sealed === 'sealed' ? SECRET : null))
  return [...parts.in(configuration)]
    .flat()
    .map(({ entity, what, because }) => `${entity}: ${what}: ${because}`)
}

describe('the parts that nobody acts on', () => {
  it.each([
    [
      task(`<task>${PLUGIN}</task>`),
      ['pipeline/p: a task of the plugin p in s/j: there are no plugins here, and the job fails'],
    ],
    [
      task(`<exec command="c"><oncancel><task>${PLUGIN}</task></oncancel></exec>`),
      ['pipeline/p: a task of the plugin p in s/j'],
    ],
    [task('<gradle />'), ['pipeline/p: the element gradle of tasks: no schema knows it']],
    [withMaterials('<fossil />'), ['pipeline/p: the element fossil of materials']],
    [withMaterials('<git url="u" mirror="m" />'), ['pipeline/p: the attribute mirror of git']],
    [
      `<scms><scm id="i" name="n">${PLUGIN}</scm></scms>${withMaterials('<scm ref="i" />')}`,
      ['pipeline/p: the scm material i: there are no plugins here'],
    ],
    [
      `<repositories><repository id="r" name="r">${PLUGIN}<packages><package id="i" name="n">${CONFIGURATION}</package></packages></repository></repositories>${withMaterials('<package ref="i" />')}`,
      ['pipeline/p: the package material i: there are no plugins here'],
    ],
    [
      withMaterials('<git url="u" shallowClone="true" />'),
      ['pipeline/p: shallowClone of the git material'],
    ],
    [
      withMaterials(`<git url="u" password="${SECRET}" />`),
      ['pipeline/p: the password of the git material: it is the secret token of vault'],
    ],
    [
      withMaterials(`<svn url="u" username="${SECRET}" encryptedPassword="sealed" />`),
      ['pipeline/p: the user of the svn', 'pipeline/p: the password of the svn'],
    ],
    [withMaterials(`<hg url="${SECRET}" />`), ['pipeline/p: the address of the hg material']],
    [
      job(
        `<environmentvariables><variable name="A"><value>${SECRET}</value></variable></environmentvariables>`,
      ),
      ['pipeline/p: the variable A: it is the secret token of vault'],
    ],
    [
      `<environments><environment name="e"><environmentvariables><variable name="A" secure="true"><encryptedValue>sealed</encryptedValue></variable></environmentvariables></environment></environments>`,
      ['environment/e: the variable A'],
    ],
    [
      job('<artifacts><artifact type="external" id="a" storeId="s" /></artifacts>'),
      ['pipeline/p: an artifact that a plugin keeps in s/j'],
    ],
    [
      task(
        '<fetchartifact pipeline="p" stage="s" job="j" artifactId="a" artifactOrigin="external" />',
      ).replace('<stage name="s">', `${STAGE}<stage name="t">`),
      ['pipeline/p: the fetching of an artifact by a plugin in t/j'],
    ],
    [
      `${ELASTIC}${job('', 'elasticProfileId="e"')}`,
      ['agent-profile/e: the elastic profile e', 'pipeline/p: the elastic agents of the job s/j'],
    ],
    [
      '<elastic jobStarvationTimeout="10" />',
      ['document: the jobStarvationTimeout of elastic agents'],
    ],
    ['<server webhookSecret="w" />', ['server: the webhookSecret']],
    ['<server><backup schedule="0 0 2 * * ?" /></server>', ['server: the schedule of backups']],
    [
      '<server><security><authConfigs><authConfig id="a" pluginId="p" /></authConfigs><roles><role name="q"><policy><allow action="a" type="t">x</allow></policy></role><pluginRole name="r" authConfigId="a" /></roles></security></server>',
      [
        'server: the authorization plugin a',
        'role/r: the plugin role r',
        'role/q: the policy of the role q',
      ],
    ],
    [
      '<config-repos><config-repo id="c" pluginId="p"><git url="u" lfs="1" /></config-repo></config-repos>',
      ['config-repo/c: the configuration repository c', 'document: the attribute lfs of git'],
    ],
    [
      `<artifactStores><artifactStore id="a" pluginId="p" /></artifactStores><secretConfigs><secretConfig id="s" pluginId="p" /></secretConfigs>`,
      ['artifact-store/a: the artifact store a', 'secret-config/s: the secret config s'],
    ],
    [
      withMaterials('<svn url="u" username="n" encryptedPassword="foreign" />'),
      ['pipeline/p: the password of the svn material: it is encrypted with a key that this server'],
    ],
    [
      `<environments><environment name="e"><environmentvariables><variable name="A" secure="true"><encryptedValue>foreign</encryptedValue></variable></environmentvariables></environment></environments>`,
      ['environment/e: the variable A: it is encrypted with a key that this server does not have'],
    ],
    [
      job('<properties><property name="n" src="s" xpath="x" /></properties>'),
      ['pipeline/p: the property n of s/j: nothing is read from artifacts'],
    ],
    ['<server purgeStart="5" purgeUpto="10" />', ['server: the purging of artifacts']],
    [
      '<server><security allowOnlyKnownUsersToLogin="true"><passwordFile path="p" /></security></server>',
      ['server: allowOnlyKnownUsersToLogin'],
    ],
    [
      pipeline(`<trackingtool link="http://t/\${ID}" regex="x" />${GIT}${STAGE}`),
      ['pipeline/p: the tracking tool'],
    ],
    [
      withMaterials('<svn url="u" folder="f" />'),
      ['pipeline/p: the folder f of the svn material: its dest names the folder'],
    ],
    [
      pipeline(
        `${GIT}<stage name="s" artifactCleanupProhibited="true"><jobs><job name="j" /></jobs></stage>`,
      ),
      ['pipeline/p: artifactCleanupProhibited of the stage s'],
    ],
    [
      task(
        `<exec command="c"><arg>${SECRET}</arg><oncancel><ant target="${SECRET}" /></oncancel></exec>`,
      ),
      [
        'pipeline/p: a text of the exec task in s/j: it is the secret token of vault',
        'pipeline/p: a text of the ant task in s/j: it is the secret token of vault',
      ],
    ],
    [task(`<task>${SCRIPT}</task>`), ['pipeline/p: a text of the script task in s/j']],
    [
      pipeline(`${GIT}${STAGE}`, `labeltemplate="${SECRET}"`),
      ['pipeline/p: the label: it is the secret token of vault, and no secret is filled in there'],
    ],
    [withMaterials(`<git url="u" branch="${SECRET}" />`), ['pipeline/p: the branch of the git']],
    [
      agent('elasticAgentId="e" elasticPluginId="docker"', 'linux'),
      ['agent/u: the plugin docker of the agent h'],
    ],
  ])('are found in %s', (content, expected) => {
    const found = partsOf(content)

    expect(found).toHaveLength(expected.length)
    for (const [n, part] of expected.entries()) expect(found[n]).toContain(part)
  })

  it('are said of the pipeline that uses the template they stand in, and of no unused template', () => {
    const template = `<templates><pipeline name="t"><stage name="s"><jobs><job name="j"><tasks><task>${PLUGIN}</task></tasks></job></jobs></stage></pipeline></templates>`

    expect(partsOf(`${pipeline(GIT, 'template="t"')}${template}`)).toEqual([
      expect.stringContaining('pipeline/p: a task of the plugin p'),
    ])
    expect(partsOf(template)).toEqual([])
  })

  it.each([
    [139, pipeline(`${GIT}${STAGE}`, 'lockBehavior="unlockWhenFinished" labeltemplate="${env:A}"')],
    [139, withMaterials('<git url="u" invertFilter="true" username="n" password="w" />')],
    [110, `${ELASTIC}${job('', 'elasticProfileId="E"')}${agent('', 'profile:e')}`],
    [139, '<server serverId="i" tokenGenerationKey="t"><backup /></server>'],
    [
      139,
      `<templates><pipeline name="t"><authorization allGroupAdminsAreViewers="true"><view><user>u</user></view></authorization>${STAGE}</pipeline></templates>`,
    ],
    [139, task(`<task>${SCRIPT.replace(SECRET, 'make')}</task>`)],
    [
      75,
      '<server artifactsdir="/a" siteUrl="http://h"><security><passwordFile path="p" /></security></server>',
    ],
  ])('are not what is acted upon at version %i in %s', (version, content) => {
    expect(partsOf(content, version)).toEqual([])
  })
})
