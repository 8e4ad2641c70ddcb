# nginx in front of the service, and what makes its certificate: the base is that of the service's image.
FROM node:24.21.0-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends nginx-light openssl \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node -m 0755 /certificates/trust \
  && install -d -o node -g node -m 0700 /certificates/authority /certificates/tls
COPY deploy/make-certificate.sh /usr/local/bin/make-certificate
COPY deploy/nginx.conf /etc/nginx/cairn.conf
COPY deploy/proxy.conf /etc/nginx/proxy.conf
# Addresses of containers do not say who comes from outside: only this container itself is inside.
RUN sed -i -e 's/127\.0\.0\.1:8153/server:8153/' -e '/# private$/d' /etc/nginx/cairn.conf
USER node
EXPOSE 443
STOPSIGNAL SIGQUIT
CMD ["nginx", "-c", "/etc/nginx/proxy.conf", "-e", "stderr"]
