import { describe, expect, it } from 'vitest'
import type { Problem } from '../../../src/core/problem.ts'
import { checkStructure, readSchemaVersion } from '../../../src/config/structure.ts'
import { readXml, type XmlDocument } from '../../../src/config/xml-reader.ts'

function read(text: string): XmlDocument {
  const reading = readXml(new TextEncoder().encode(text))
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems))
  return reading
}

function problemsOf(text: string): Problem[] {
  return checkStructure(read(text))
}

function messagesOf(text: string): string[] {
  return problemsOf(text).map(({ message }) => message)
}

function cruise(content: string, version = '75'): string {
  return `<cruise schemaVersion="${version}">${content}</cruise>`
}

const STAGE = '<stage name="s"><jobs><job name="j"/></jobs></stage>'
const GIT = '<materials><git url="u"/></materials>'

function pipeline(content: string, attributes = ''): string {
  return `<pipelines group="g"><pipeline name="p" ${attributes}>${content}</pipeline></pipelines>`
}

function job(content: string, attributes = ''): string {
  const inner = `<job name="j" ${attributes}>${content}</job>`
  return pipeline(`${GIT}<stage name="s"><jobs>${inner}</jobs></stage>`)
}

function task(content: string): string {
  return job(`<tasks>${content}</tasks>`)
}

function two(one: string, other = one): string {
  return one + other
}

function env(name: string, inner: string): string {
  return `<environment name="${name}">${inner}</environment>`
}

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

  it('is told with the place and the path of each problem, in the order of the document', () => {
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
        message: '"params" must stand before "stage"',
        path: 'pipeline "build" › params',
        line: 12,
        column: 5,
      },
      { message: 'text may not stand in pipelines', path: 'group "g"', line: 14, column: 3 },
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

  it('costs little however much is wrong with it', () => {
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
    ['<agents/><pipelines/>', '"pipelines" must stand before "agents"'],
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

  it('tells apart what is named alike by where it stands', () => {
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
      '"timer" must stand before "materials"',
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

describe('names that must be unique', () => {
  const list = '<pipelines><pipeline name="p"/></pipelines>'
  const plugin =
    '<pluginConfiguration id="i" version="1"/><configuration><property><key>k</key></property></configuration>'

  it.each([
    [two('<pipelines group="g"/>'), 'the pipeline group "g" already stands on line 1'],
    [
      two('<pipelines/>', '<pipelines group="defaultGroup"/>'),
      'the pipeline group "defaultGroup" already stands on line 1',
    ],
    [
      pipeline(`${GIT}<stage name="s"><jobs>${two('<job name="j"/>')}</jobs></stage>`),
      'the job "j" already stands on line 1',
    ],
    [
      `<templates>${two(`<pipeline name="t">${STAGE}</pipeline>`)}</templates>`,
      'the template "t" already stands on line 1',
    ],
    [
      `<environments>${two(env('e', ''))}</environments>`,
      'the environment "e" already stands on line 1',
    ],
    [
      `<environments>${two(env('e', list), env('f', list))}</environments>`,
      'the environment pipeline "p" already stands on line 1',
    ],
    [
      `<environments>${env('e', `<agents>${two('<physical uuid="u"/>')}</agents>`)}</environments>`,
      'the agent uuid "u" already stands on line 1',
    ],
    [
      `<agents>${two('<agent hostname="h" ipaddress="i" uuid="u"/>')}</agents>`,
      'the agent uuid "u" already stands on line 1',
    ],
    [
      `<server><security><roles>${two('<role name="r"/>')}</roles></security></server>`,
      'the role "r" already stands on line 1',
    ],
    [
      `<server><security><admins>${two('<user>u</user>')}</admins></security></server>`,
      'the user "u" already stands on line 1',
    ],
    [
      `<pipelines><authorization><view>${two('<role>r</role>')}</view></authorization></pipelines>`,
      'the role "r" already stands on line 1',
    ],
    [
      pipeline(`<materials>${two('<pipeline pipelineName="q" stageName="s"/>')}</materials>`),
      'the upstream stage "q/s" already stands on line 1',
    ],
    [
      job(`<tabs>${two('<tab name="t" path="p"/>')}</tabs>`),
      'the tab "t" already stands on line 1',
    ],
    [
      job(`<properties>${two('<property name="q" src="s" xpath="x"/>')}</properties>`),
      'the property "q" already stands on line 1',
    ],
    [
      task(`<ant>${two('<runif status="any"/>')}</ant>`),
      'the runif status "any" already stands on line 1',
    ],
    [
      `<scms>${two(`<scm id="i" name="a">${plugin}</scm>`, `<scm id="i" name="b">${plugin}</scm>`)}</scms>`,
      'the scm id "i" already stands on line 1',
    ],
    [
      `<repositories>${two(`<repository id="i" name="a">${plugin}</repository>`, `<repository id="i" name="b">${plugin}</repository>`)}</repositories>`,
      'the repository id "i" already stands on line 1',
    ],
  ])('are found in %s', (content, message) => {
    expect(messagesOf(cruise(content))).toEqual([message])
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
