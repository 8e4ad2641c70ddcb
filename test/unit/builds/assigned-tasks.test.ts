import { describe, expect, it } from 'vitest'
import { assigned } from '../../support/builds/assignment-scene.ts'

describe('the tasks of a job’s assignment', () => {
  it('has every task with its arguments, folder, conditions and what cancels it', async () => {
    const { tasks } = await assigned({
      tasks: `<exec command="echo" workingdir="sub" timeout="30"><arg>a b</arg><arg>c</arg><runif status="any" /></exec>
        <exec command="old" args="one two" />
        <ant buildfile="b.xml" target="all"><oncancel><exec command="stop" /></oncancel></ant>
        <nant target="t" nantpath="/opt/nant" />
        <rake />`,
    })

    expect(tasks.map(({ run }) => run)).toEqual([
      { type: 'exec', command: 'echo', args: ['a b', 'c'], workingDir: 'sub', timeoutMs: 30_000 },
      { type: 'exec', command: 'old', args: ['one', 'two'], workingDir: null, timeoutMs: null },
      { type: 'ant', buildFile: 'b.xml', target: 'all', workingDir: null },
      { type: 'nant', buildFile: null, target: 't', workingDir: null, nantPath: '/opt/nant' },
      { type: 'rake', buildFile: null, target: null, workingDir: null },
    ])
    expect(tasks.map(({ runIf }) => runIf)).toEqual([['any'], [], [], [], []])
    expect(tasks[2]?.onCancel).toMatchObject({ type: 'exec', command: 'stop' })
  })

  it('has the quoted words of a text of arguments as one each', async () => {
    const { tasks } = await assigned({
      tasks: `<exec command="sh" args="-c 'echo a &gt; b' '' &quot;c d&quot; C:\\e" />`,
    })

    expect(tasks[0]?.run).toMatchObject({ args: ['-c', 'echo a > b', '', 'c d', 'C:\\e'] })
  })

  it('has paths of fetched artifacts in one form, and everything as a dot', async () => {
    const own = 'pipeline="" stage="early" job="make"'
    const { tasks } = await assigned(
      {
        tasks: `<fetchartifact ${own} srcfile="a//./b.txt" />
          <fetchartifact ${own} srcdir="a/../" />
          <fetchartifact ${own} srcdir="a/b/" />`,
      },
      { run: { stages: [{ name: 'early', counter: 1 }] } },
    )

    expect(tasks.map(({ run }) => run)).toMatchObject([
      { src: 'a/b.txt', from: { pipelineName: 'app' } },
      { src: '.', from: { pipelineName: 'app' } },
      { src: 'a/b', from: { pipelineName: 'app' } },
    ])
  })

  it('finds the run to fetch an artifact from', async () => {
    const { tasks } = await assigned(
      {
        materials: '<pipeline pipelineName="up" stageName="pack" />',
        tasks: `<fetchartifact pipeline="up" stage="pack" job="zip" srcfile="a.zip" dest="lib" />
        <fetchartifact stage="early" job="make" srcdir="out" />
        <fetchartifact pipeline="app" stage="early" job="make" srcdir="out" />`,
      },
      {
        run: {
          stages: [
            { name: 'early', counter: 4 },
            { name: 'build', counter: 1 },
          ],
        },
      },
    )

    const own = {
      pipelineName: 'app',
      pipelineCounter: 3,
      stageName: 'early',
      stageCounter: '4',
      jobName: 'make',
    }
    expect(tasks.map(({ run }) => run)).toEqual([
      {
        type: 'fetchartifact',
        from: {
          pipelineName: 'up',
          pipelineCounter: 8,
          stageName: 'pack',
          stageCounter: '2',
          jobName: 'zip',
        },
        src: 'a.zip',
        srcKind: 'file',
        dest: 'lib',
      },
      { type: 'fetchartifact', from: own, src: 'out', srcKind: 'folder', dest: null },
      { type: 'fetchartifact', from: own, src: 'out', srcKind: 'folder', dest: null },
    ])
  })

  it('has the artifacts with their kinds', async () => {
    const { artifacts } = await assigned({
      job: '<artifacts><artifact src="out/*.zip" dest="dist" /><test src="reports" /></artifacts>',
    })

    expect(artifacts).toEqual([
      { kind: 'artifact', src: 'out/*.zip', dest: 'dist' },
      { kind: 'test', src: 'reports', dest: null },
    ])
  })
})
