import { describe, expect, it } from 'vitest'
import { checkStructure } from '../../../src/document/structure/structure.ts'
import {
  cruise,
  GIT,
  job,
  messagesOf,
  pipeline,
  problemsOf,
  read,
  STAGE,
  task,
} from '../../support/documents/structures.ts'

describe('the structure of a document', () => {
  it('is sound when there is nothing but the root', () => {
    expect(problemsOf(cruise(''))).toEqual([])
  })

  it('has cruise at its root', () => {
    expect(problemsOf('\n<cruse schemaVersion="75"/>')).toEqual([
      {
        message: 'the root element is "cruse"; it must be "cruise"',
        path: 'cruse',
        line: 2,
        column: 1,
      },
    ])
  })

  it('is reported with the place and the path of each problem, in the order of the document', () => {
    const text = cruise(`
<pipelines group="g">
  <pipeline name="build">
    <materials><git url="u"/></materials>
    <stage name="test">
      <jobs>
        <job name="unit" tiemout="3">
          <stray/>
        </job>
      </jobs>
    </stage>
    <params/>
  </pipeline>
  stray
</pipelines>
<agents><agent hostname="h" uuid="a"/></agents>`)

    expect(problemsOf(text)).toEqual([
      {
        message: 'unknown attribute "tiemout" of job; did you mean "timeout"?',
        path: 'pipeline "build" › stage "test" › job "unit"',
        line: 7,
        column: 26,
      },
      {
        message:
          'unknown element "stray" in job; known here: environmentvariables, tasks, artifacts, resources, tabs, properties',
        path: 'pipeline "build" › stage "test" › job "unit" › stray',
        line: 8,
        column: 11,
      },
      {
        message: '"params" must come before "stage"',
        path: 'pipeline "build" › params',
        line: 12,
        column: 5,
      },
      { message: 'text is not allowed in pipelines', path: 'group "g"', line: 14, column: 3 },
      {
        message: 'agent needs the attribute "ipaddress"',
        path: 'agent "a"',
        line: 16,
        column: 9,
      },
    ])
  })

  it('names a thousand problems and counts the rest', () => {
    const problems = problemsOf(cruise('<x/>'.repeat(1500)))

    expect(problems).toHaveLength(1001)
    expect(problems.at(-1)).toEqual({ message: 'and 500 more problems' })
  })

  it('costs little however much is wrong with it', { tags: ['long'] }, () => {
    const document = read(cruise('<pipelinez/>'.repeat(100_000)))
    const started = performance.now()

    checkStructure(document)

    expect(performance.now() - started).toBeLessThan(5000)
  })

  it.each([
    [pipeline(STAGE), 'pipeline needs one "materials"'],
    [
      pipeline(`<materials/>${STAGE}`),
      'materials needs at least one of "pipeline", "svn", "hg", "p4", "git", "tfs", "package", "scm"',
    ],
    [pipeline(`${GIT}<stage name="s"><jobs/></stage>`), 'jobs needs at least one "job"'],
    [pipeline(`${GIT}<stage name="s"/>`), 'stage needs at least one "jobs"'],
    ['<templates/>', 'templates needs at least one "pipeline"'],
    ['<environments/>', 'environments needs at least one "environment"'],
    ['<server/><server/>', 'cruise may have only one "server"'],
    [job('<tasks/><tasks/>'), 'job may have only one "tasks"'],
    [
      task('<exec command="c"><oncancel><ant/><ant/></oncancel></exec>'),
      'oncancel may have only one of "exec", "ant", "nant", "rake", "fetchartifact", "task"',
    ],
    [
      task('<task><configuration><property><key>k</key></property></configuration></task>'),
      'task needs one "pluginConfiguration"',
    ],
    ['<agents/><pipelines/>', '"pipelines" must come before "agents"'],
    [task('<exec command="c"><arg>a<b/></arg></exec>'), 'unknown element "b" in arg'],
  ])('is held to the children that may stand in %s', (content, message) => {
    expect(messagesOf(cruise(content))).toEqual([message])
  })

  it.each([
    '<agents/>',
    '<pipelines/>',
    '<server><mailhost hostname="h" port="1" tls="0" from="a@b" admin="a@b"/><security/></server>',
    job('<tabs/><resources/><artifacts/><tasks/><environmentvariables/>'),
    task('<exec command="c"><runif status="any"/><arg>a</arg><oncancel/><arg/></exec>'),
    task('<exec command="c"><oncancel><ant><oncancel><nant/></oncancel></ant></oncancel></exec>'),
    pipeline(
      `<!-- a --><?b?>${GIT}<stage name="s"><jobs><job name="j"/></jobs><jobs><job name="j"/></jobs></stage>`,
    ),
    pipeline(`<params><param name="a"><![CDATA[ <b> ]]></param></params>${GIT}`),
  ])('is sound with %s', (content) => {
    expect(problemsOf(cruise(content))).toEqual([])
  })

  it('distinguishes what is named alike by where it stands', () => {
    const text = cruise(`
      ${pipeline(`<materials><pipeline pipelineName="q" stageName="s"/></materials>${STAGE}`)}
      <templates><pipeline name="t">${STAGE}</pipeline></templates>
      <environments><environment name="e"><pipelines><pipeline name="p"/></pipelines></environment></environments>`)

    expect(problemsOf(text)).toEqual([])
    expect(messagesOf(text.replace('name="t"', 'name="t" labeltemplate="${COUNT}"'))).toEqual([
      'unknown attribute "labeltemplate" of pipeline; known here: name',
    ])
  })

  it('may name the schema instance and nothing else of that kind', () => {
    const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    const location = 'xsi:noNamespaceSchemaLocation="cruise-config.xsd"'

    expect(problemsOf(`<cruise ${xsi} ${location} schemaVersion="75"/>`)).toEqual([])
    expect(problemsOf(cruise(pipeline(GIT.replace('<materials', `<materials ${xsi}`))))).toEqual([])
    expect(messagesOf(`<cruise ${location} schemaVersion="75"/>`)).toHaveLength(1)
    expect(messagesOf('<cruise xmlns="urn:x" schemaVersion="75"/>')).toHaveLength(1)
    expect(messagesOf('<cruise __proto__="x" schemaVersion="75"/>')).toHaveLength(1)
  })
})
