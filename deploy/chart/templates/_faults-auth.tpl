{{/* Values of auth that would accept no callers, all callers, or the wrong ones. */}}

{{- define "svc.faults.auth" -}}
{{- $v := .Values -}}
{{- $source := include "svc.tenantsSource" . -}}
{{- if and $v.auth.tenants (ne $source "kubernetes") }}
auth.tenantsSource is {{ $source }}, and auth.tenants has entries, which controllers would ignore. Remove one of them.
{{- end }}
{{- if and $v.controller.enabled $v.auth.enabled (eq $source "provider") }}
{{- if not $v.auth.jwksEndpoint }}
auth.jwksEndpoint is empty. Give the URL of the identity provider's key set, or list auth.tenants.
{{- end }}
{{- if and (hasPrefix "http:" $v.auth.jwksEndpoint) (not $v.auth.allowHttp) (not (regexMatch "^http://(localhost|127(\\.[0-9]+){3}|\\[::1\\])(:|/|$)" $v.auth.jwksEndpoint)) }}
auth.jwksEndpoint is plain http: anyone on the network path could replace the keys. Give its https URL, or set auth.allowHttp.
{{- end }}
{{- if not $v.auth.issuer }}
auth.issuer is empty. Give the issuer of the tokens, or list auth.tenants.
{{- end }}
{{- end }}
{{- if and $v.auth.enabled (eq $source "file") (eq (empty $v.auth.tenantsFile.existingSecret) (empty $v.auth.tenantsFile.existingConfigMap)) }}
auth.tenantsSource is file. Set one of auth.tenantsFile.existingSecret and auth.tenantsFile.existingConfigMap.
{{- end }}
{{- include "svc.faults.unread" . }}
{{- include "svc.faults.flip" . }}
{{- include "svc.faults.fleet" . }}
{{- $ids := dict }}
{{- $names := dict }}
{{- range $at, $tenant := $v.auth.tenants }}
{{- include "svc.faults.provider" (list $v.auth $at $tenant) }}
{{- with $tenant.rbac }}
{{- if and .defaultRole .allowedRoles }}
{{- if not (has .defaultRole .allowedRoles) }}
auth.tenants[{{ $at }}].rbac.defaultRole {{ .defaultRole }} is not among its allowedRoles.
{{- end }}
{{- end }}
{{- end }}
{{- $name := include "svc.tenantName" $tenant }}
{{- if hasKey $ids $tenant.tenantId }}
auth.tenants[{{ $at }}].tenantId {{ $tenant.tenantId | quote }} is already used by auth.tenants[{{ get $ids $tenant.tenantId }}]. Give each tenant one entry.
{{- else if hasKey $names $name }}
auth.tenants[{{ $at }}] and auth.tenants[{{ get $names $name }}] would both create the SvcTenant {{ $name | quote }}. Give one of them another name.
{{- end }}
{{- $_ := set $ids $tenant.tenantId $at }}
{{- $_ := set $names $name $at }}
{{- end }}
{{- end }}

{{/* A tenant's provider, its own or the default: faults that the SvcTenant definition would refuse only after the migration. */}}
{{- define "svc.faults.provider" -}}
{{- $auth := index . 0 -}}
{{- $path := printf "auth.tenants[%d]" (index . 1) -}}
{{- $id := (last .).tenantId | quote -}}
{{- $oidc := (last .).oidc | default dict -}}
{{- if ne (empty $oidc.issuer) (empty $oidc.jwksEndpoint) }}
{{- $given := ternary "jwksEndpoint" "issuer" (empty $oidc.issuer) }}
{{ $path }}.oidc.{{ $given }} is set without its {{ ternary "issuer" "jwksEndpoint" (empty $oidc.issuer) }}, and the one of auth belongs to another provider. Give both of tenant {{ $id }}, or none.
{{- else if empty $oidc.issuer }}
{{- if not $auth.issuer }}
{{ $path }}.oidc.issuer is empty, and so is auth.issuer. Give the issuer of tenant {{ $id }}.
{{- end }}
{{- if not $auth.jwksEndpoint }}
{{ $path }}.oidc.jwksEndpoint is empty, and so is auth.jwksEndpoint. Give the key set of tenant {{ $id }}.
{{- else if not (regexMatch "^(https:|http://(localhost|127(\\.[0-9]+){3}|\\[::1\\])(:[0-9]*)?([/?]|$))" $auth.jwksEndpoint) }}
auth.jwksEndpoint is plain http, and {{ $path }} {{ $id }} uses it as its key set: a SvcTenant refuses plain http from another host, even with auth.allowHttp. Give its https URL.
{{- end }}
{{- end }}
{{- $claim := $oidc.tenantClaim | default $auth.tenantClaim }}
{{- if eq $claim ($oidc.rolesClaim | default $auth.rolesClaim) }}
{{ $path }} {{ $id }} has {{ $claim | quote }} as tenantClaim and as rolesClaim, its own or those of auth. One is a string and the other a list: use two claims.
{{- end }}
{{- end }}

{{/* A tenants file has the provider of each tenant. Values set here, such as the audience, would be ignored. */}}
{{- define "svc.faults.unread" -}}
{{- if and .Values.controller.enabled .Values.auth.enabled (eq (include "svc.tenantsSource" .) "file") }}
{{- range include "svc.provider.given" . | fromJsonArray }}
auth.{{ . }} is set, and auth.tenantsSource is file, where each tenant has its own. Move it to the file.
{{- end }}
{{- end }}
{{- end }}

{{/* The values of the default provider that are set, as JSON. */}}
{{- define "svc.provider.given" -}}
{{- $auth := .Values.auth -}}
{{- $given := list -}}
{{- range $name, $default := dict "jwksEndpoint" "" "issuer" "" "audience" "" "tenantClaim" "tid" "rolesClaim" "svc_roles" -}}
{{- if not (has (get $auth $name) (list "" $default)) }}{{ $given = append $given $name }}{{ end -}}
{{- end -}}
{{- toJson $given -}}
{{- end }}

{{/*
Without tenants the source would default to the provider, which accepts every tenant in its tokens. Refused for a release
that accepted only some tenants until now, because the list may have been lost by mistake. Finds nothing without a cluster.
*/}}
{{- define "svc.faults.flip" -}}
{{- $auth := .Values.auth -}}
{{- $decided := or $auth.tenants $auth.tenantsSource (not $auth.enabled) (not .Values.controller.enabled) -}}
{{- if and .Release.IsUpgrade (not $decided) (.Capabilities.APIVersions.Has "svc.dev/v1") }}
{{- $own := list }}
{{- range (lookup "svc.dev/v1" "SvcTenant" .Release.Namespace "").items }}
{{- if eq (get (.metadata.labels | default dict) "app.kubernetes.io/instance") $.Release.Name }}{{ $own = append $own .metadata.name }}{{ end }}
{{- end }}
{{- with $own }}
auth.tenants is empty, and this release has the SvcTenants {{ join ", " . }}: from now on every tenant in the provider's tokens would be accepted. Set auth.tenantsSource to provider if that is intended, or to kubernetes if SvcTenants are created by other means, or list auth.tenants.
{{- end }}
{{- end }}
{{- end }}

{{/* Controllers accept only listed tenants, and nodes call them as the fleet tenant. */}}
{{- define "svc.faults.fleet" -}}
{{- $auth := .Values.auth -}}
{{- if and $auth.tenants $auth.fleetTenant }}
{{- $ids := list }}
{{- range $at, $tenant := $auth.tenants }}
{{- $ids = append $ids $tenant.tenantId }}
{{- if eq $tenant.tenantId $auth.fleetTenant }}
{{- if and (kindIs "bool" $tenant.enabled) (not $tenant.enabled) }}
auth.tenants[{{ $at }}] is auth.fleetTenant {{ $auth.fleetTenant | quote }} and has enabled: false, so every node would be refused. Remove enabled there.
{{- end }}
{{- with ($tenant.rbac | default dict).allowedRoles }}
{{- if not (has "svc:admin" .) }}
auth.tenants[{{ $at }}].rbac.allowedRoles lacks svc:admin, which nodes of auth.fleetTenant {{ $auth.fleetTenant | quote }} need. Add it.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if not (has $auth.fleetTenant $ids) }}
auth.fleetTenant {{ $auth.fleetTenant | quote }} is not among auth.tenants ({{ join ", " $ids }}), so every node would be refused. Add it there: - tenantId: {{ $auth.fleetTenant | quote }}.
{{- end }}
{{- end }}
{{- end }}
