import type { Child } from 'hono/jsx'
import type { Links } from '../kit/links.ts'

interface FirstUseProps {
  readonly links: Links
  /** The address that the caller reaches the service by, without a path. */
  readonly origin: string
  /** The name of the configuration in its repository. */
  readonly fileName: string
  readonly title: string
  readonly children: Child
}

/** Three ways in, for a service without a configuration of somebody's own. */
export function FirstUse({ links, origin, fileName, title, children }: FirstUseProps) {
  const repository = `${origin}${links.repository()}`
  return (
    <section class="card first-use">
      <h2>{title}</h2>
      <p>{children}</p>
      <h3>Create a pipeline</h3>
      <p>
        A form with a repository and a command. <a href={links.newPipeline()}>New pipeline</a>, or{' '}
        <a href={links.edit()}>write the XML</a>.
      </p>
      <h3>Import a history</h3>
      <p>
        Reads the configuration repository of another server, with every revision and its author,
        into this one. Stop the service first.
      </p>
      <pre class="code">cairn import /path/to/config.git</pre>
      <h3>Push a configuration</h3>
      <p>Clone the repository, put your file in its place, and push. A push is validated.</p>
      <pre class="code">{`git clone ${repository}
cd config
cp /path/to/your.xml ${fileName}
git commit -am 'Our configuration'
git push`}</pre>
    </section>
  )
}
