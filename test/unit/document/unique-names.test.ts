import { describe, expect, it } from 'vitest'
import {
  cruise,
  env,
  GIT,
  job,
  messagesOf,
  pipeline,
  problemsOf,
  STAGE,
  task,
  two,
} from '../../support/documents/structures.ts'

describe('names that must be unique', () => {
  const list = '<pipelines><pipeline name="p"/></pipelines>'
  const plugin =
    '<pluginConfiguration id="i" version="1"/><configuration><property><key>k</key></property></configuration>'

  it.each([
    [two('<pipelines group="g"/>'), 'the pipeline group "g" is already on line 1'],
    [
      two('<pipelines/>', '<pipelines group="defaultGroup"/>'),
      'the pipeline group "defaultGroup" is already on line 1',
    ],
    [
      pipeline(`${GIT}<stage name="s"><jobs>${two('<job name="j"/>')}</jobs></stage>`),
      'the job "j" is already on line 1',
    ],
    [
      `<templates>${two(`<pipeline name="t">${STAGE}</pipeline>`)}</templates>`,
      'the template "t" is already on line 1',
    ],
    [
      `<environments>${two(env('e', ''))}</environments>`,
      'the environment "e" is already on line 1',
    ],
    [
      `<environments>${two(env('e', list), env('f', list))}</environments>`,
      'the environment pipeline "p" is already on line 1',
    ],
    [
      `<environments>${env('e', `<agents>${two('<physical uuid="u"/>')}</agents>`)}</environments>`,
      'the agent uuid "u" is already on line 1',
    ],
    [
      `<agents>${two('<agent hostname="h" ipaddress="i" uuid="u"/>')}</agents>`,
      'the agent uuid "u" is already on line 1',
    ],
    [
      `<server><security><roles>${two('<role name="r"/>')}</roles></security></server>`,
      'the role "r" is already on line 1',
    ],
    [
      `<server><security><admins>${two('<user>u</user>')}</admins></security></server>`,
      'the user "u" is already on line 1',
    ],
    [
      `<pipelines><authorization><view>${two('<role>r</role>')}</view></authorization></pipelines>`,
      'the role "r" is already on line 1',
    ],
    [
      pipeline(`<materials>${two('<pipeline pipelineName="q" stageName="s"/>')}</materials>`),
      'the upstream stage "q/s" is already on line 1',
    ],
    [job(`<tabs>${two('<tab name="t" path="p"/>')}</tabs>`), 'the tab "t" is already on line 1'],
    [
      job(`<properties>${two('<property name="q" src="s" xpath="x"/>')}</properties>`),
      'the property "q" is already on line 1',
    ],
    [
      task(`<ant>${two('<runif status="any"/>')}</ant>`),
      'the runif status "any" is already on line 1',
    ],
    [
      `<scms>${two(`<scm id="i" name="a">${plugin}</scm>`, `<scm id="i" name="b">${plugin}</scm>`)}</scms>`,
      'the scm id "i" is already on line 1',
    ],
    [
      `<repositories>${two(`<repository id="i" name="a">${plugin}</repository>`, `<repository id="i" name="b">${plugin}</repository>`)}</repositories>`,
      'the repository id "i" is already on line 1',
    ],
  ])('are found in %s', (content, message) => {
    expect(messagesOf(cruise(content))).toEqual([message])
  })

  it.each([
    ['artifactStores', '<artifactStore id="i" pluginId="p"/>', 'artifact store'],
    ['secretConfigs', '<secretConfig id="i" pluginId="p"/>', 'secret config'],
    [
      'config-repos',
      '<config-repo id="i" pluginId="p"><git url="u"/></config-repo>',
      'config repo',
    ],
    ['elastic/clusterProfiles', '<clusterProfile id="i" pluginId="p"/>', 'cluster profile'],
    ['elastic/agentProfiles', '<agentProfile id="i" clusterProfileId="c"/>', 'elastic profile'],
    ['elastic/profiles', '<profile id="i" pluginId="p"/>', 'elastic profile'],
    ['server/security/authConfigs', '<authConfig id="i" pluginId="p"/>', 'auth config'],
  ])('are found in %s of later versions', (path, element, what) => {
    const content = path
      .split('/')
      .reduceRight((inner, name) => `<${name}>${inner}</${name}>`, two(element))

    expect(messagesOf(cruise(content, '139'))).toEqual([`the ${what} "i" is already on line 1`])
  })

  it('may differ in case, or stand in lists of their own', () => {
    const admins = '<admins><user>a</user><user>A</user><role>a</role></admins>'
    const text = cruise(
      `<server><security>${admins}</security></server><pipelines><authorization><admins>${two('<user>u</user>')}</admins></authorization></pipelines>`,
    )
    expect(problemsOf(text)).toEqual([])
  })

  it('are found where packages and scms are referred to', () => {
    const refs = '<materials><package ref="no"/><scm ref="none"/></materials>'

    expect(messagesOf(cruise(pipeline(refs)))).toEqual([
      'there is no package with the id "no"',
      'there is no scm with the id "none"',
    ])
  })
})
